package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.tools.AddressGenerator;

import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs the parts of {@link SavingTest} that need a process of their own, with other privileges or
 * another disk. Arguments: the part and its folder, which has a file {@code done} in the end.
 */
final class SavingProgram {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Path folder;
    private final Path file;
    private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());

    private SavingProgram(Path folder) {
        this.folder = folder;
        this.file = folder.resolve("whitelist.txt");
    }

    private FileList open(Path work) throws Exception {
        Files.writeString(file, "alice@example.com\n");
        return ListFiles.open(ListFiles.settings(file, work), ListFiles.refusalsTo(refusals));
    }

    private void permission() throws Exception {
        try (FileList list = open(folder.resolve("work"))) {
            run("chmod", "000", file.toString());
            await().atMost(LONG).until(() -> !refusals.isEmpty());
            assertThat(refusals).singleElement().asString().contains(file + ": no permission");
            assertThat(isListed(list, "alice@example.com")).isTrue();

            run("chmod", "644", file.toString());
            Files.writeString(file, "alice@example.com\nbob@example.com\n");
            await().atMost(LONG).until(() -> isListed(list, "bob@example.com"));
        }
    }

    private void disk() throws Exception {
        Path work = folder.resolve("disk/work");
        try (FileList list = open(work)) {
            AddressGenerator generator = new AddressGenerator(1000);
            Path many = folder.resolve("many.txt");
            try (BufferedWriter out = Files.newBufferedWriter(many)) {
                out.write("alice@example.com\n");
                for (int i = 0; i < 100_000; i++) {
                    out.write(generator.address(i) + "\n");
                }
            }
            Files.move(many, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            await().atMost(LONG).until(() -> !refusals.isEmpty());
            assertThat(refusals)
                    .singleElement()
                    .asString()
                    .contains(file.toString())
                    .containsIgnoringCase("no space");
            assertThat(isListed(list, "alice@example.com")).isTrue();
            assertThat(isListed(list, generator.address(7))).isFalse();
            try (Stream<Path> left = Files.list(work)) {
                assertThat(left).as("what the failed build left").hasSize(1);
            }

            Files.writeString(file, "alice@example.com\nbob@example.com\n");
            await().atMost(LONG).until(() -> isListed(list, "bob@example.com"));
        }
        try (FileList again = open(work)) {
            assertThat(isListed(again, "alice@example.com")).isTrue();
        }
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    /** Runs it. */
    public static void main(String... arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        SavingProgram program = new SavingProgram(folder);
        if (arguments[0].equals("permission")) {
            program.permission();
        } else {
            program.disk();
        }
        Files.createFile(folder.resolve("done"));
    }
}
