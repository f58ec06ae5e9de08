package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A delivered mail in a file, as far as checks ask for it. What confirmed the sender is not read
 * from it: anybody can write that into a mail.
 *
 * @param sender the envelope sender: what {@code Return-Path} says, or else From:
 * @param from the address in From:, or an empty string if that is unclear
 * @param recipients whom it was delivered to, or none if it does not say so
 */
record MailFile(String sender, String from, List<String> recipients) {
    /** How much of a header is read, in bytes: more than mail servers accept. */
    private static final int MAX_BYTES = 4 << 20;

    /** Reads the header of a mail. */
    static MailFile read(Path file) throws IOException {
        String text;
        try (InputStream in = DiskInput.open(Disk.LOCAL, FileList.existing(file))) {
            text = new String(in.readNBytes(MAX_BYTES), ISO_8859_1);
        }
        String header = text.split("\r?\n\r?\n", 2)[0];
        Address from = FromHeader.mailbox(fields(header, "From"));
        List<String> paths = fields(header, "Return-Path");
        if (from == null && paths.isEmpty()) {
            throw new IOException(
                    file
                            + ": no mail that says who sent it; it has no Return-Path: and no clear"
                            + " From:");
        }
        String seen = from == null ? "" : from.toString();
        return new MailFile(
                paths.isEmpty() ? seen : withoutBrackets(paths.getFirst()),
                seen,
                fields(header, "Delivered-To").stream()
                        .limit(1)
                        .map(MailFile::withoutBrackets)
                        .toList());
    }

    /** Returns the values of the fields of a name, which may be folded. */
    private static List<String> fields(String header, String name) {
        return Stream.of(header.split("\r?\n(?![ \t])", -1))
                .map(field -> field.split(":", 2))
                .filter(field -> field.length == 2 && field[0].strip().equalsIgnoreCase(name))
                .map(field -> field[1].strip())
                .toList();
    }

    private static String withoutBrackets(String path) {
        String utf8 = FromHeader.decoded(path);
        return (utf8 == null ? path : utf8).replaceFirst("(?s)^<(.+)>$", "$1");
    }
}
