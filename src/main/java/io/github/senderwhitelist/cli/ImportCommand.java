package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.TextSource;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * {@code import LIST FILE...}: adds the entries of files to a living list. All files are read
 * before the first entry is added, so that a bad file leaves the list as it was.
 */
@Command(
        description =
                "Adds all entries of files to a living list, in place of what was there, unless"
                        + " that has a '!'. Other entries stay.",
        footer = {
            "  whitelist import own whitelist.txt",
            "  whitelist import own --from postfix /etc/postfix/sender_access",
            "  whitelist import own --from vcard --for sam@here.example contacts.vcf"
        })
final class ImportCommand extends FillCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Text lists, plain or gzip; '-': standard input.")
    private List<String> files = List.of();

    @Mixin private ForeignOptions foreign = new ForeignOptions();

    @Option(names = "--replace-denials", description = "Also replace entries with '!'.")
    private boolean replaceDenials;

    @Override
    int call() throws IOException {
        long start = System.nanoTime();
        DatabaseList.Name target = named();
        List<TextSource> lists = foreign.converted(FileList.texts(files), this);
        try (FileList entries = FileList.build(lists)) {
            String counts = fill(target, entries);
            foreign.sumUp(this);
            BuildReport report = Objects.requireNonNull(entries.report());
            FileList.complain(report, err);
            String lines = Numbers.count(report.lines(), "line", "lines");
            out.println(counts + "; " + lines + "; " + Numbers.secondsSince(start));
        }
        return Main.DONE;
    }

    @Override
    boolean replacesDenials() {
        return replaceDenials;
    }

    @Override
    void replaced(EntryPut put) {}
}
