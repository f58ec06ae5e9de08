package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** Compares lists as read by a buffer with a simple model that splits them into lines. */
class TextListModelTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "# x\n\n",
                "\ufeff",
                "\r\n# x\r",
                "!*@example.com",
                "*@example.com",
                "Al ice@Example.com",
                "ALICE",
                "alice@example.com",
                "Alice@EXAMPLE.com",
                "alice@example.com.",
                "alice@123",
                "alice@1.2.3.4",
                "alice@example.com\t",
                "alice@example.com\u000b",
                "alice@example.com#",
                "al#ice@example.com",
                "al!ice@example.com",
                "alice@xn--mnchen-3ya.de",
                "alice@xn--.de",
                "alice",
                "@",
                "Al@b.C to=Bob@D.e",
                "Al@b.C to=@D.e",
                "Al@b.C to=Bob@D.e # x",
                "!Al@b.C to=Bob@D.e",
                "@b.C to=Bob@D.e",
                "\"Al@b.C to=Bob@D.e",
                "\"Al x\"@b.C to=Bob@D.e",
                "\"Al\"@b.C to=Bob@D.e"
            })
    void lineShouldSayInAListWhatItSaysAlone(String line) throws IOException {
        for (String list : List.of(line, line + "\n")) {
            assertThat(read(list)).isEqualTo(model(list));
        }
    }

    @Test
    void randomLinesShouldSayInAListWhatEachSaysAlone() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        String letters = "aabbxn019..--@@@@!#\"\\+ \t\r_[]:\u00e9";
        for (int i = 0; i < 400; i++) {
            StringBuilder list = new StringBuilder();
            for (int left = 6000; left > 0; left--) {
                int letter = random.nextInt(letters.length() + 4);
                list.append(
                        letter < letters.length()
                                ? letters.substring(letter, letter + 1)
                                : letter == letters.length() ? " to=" : "\n");
            }
            assertThat(read(list.toString())).isEqualTo(model(list.toString()));
        }
    }

    /** Lines of all lengths at all places of the buffer, some longer than several buffers. */
    @Test
    void listShouldHaveTheSameLinesWhereverTheBufferEnds() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder list = new StringBuilder(seed % 5 == 0 ? "\ufeff" : "");
            while (list.length() < 10 * TextList.BUFFER) {
                String end = random.nextInt(3) == 0 ? "\r\n" : "\n";
                switch (random.nextInt(200)) {
                    case 0 -> list.append("#".repeat(random.nextInt(20_000))).append(end);
                    case 1 -> list.append("x".repeat(random.nextInt(600_000))).append(end);
                    case 2 -> list.append("nonsense").append(end);
                    case 3 -> list.append(end);
                    case 4 -> {
                        // A line that ends just where the buffer does, or one byte beside.
                        int left = TextList.BUFFER - list.length() % TextList.BUFFER;
                        list.append("y".repeat(Math.max(1, left - 2 + random.nextInt(4))));
                        list.append('\n');
                    }
                    default -> {
                        list.append("user").append(random.nextInt(1_000_000));
                        list.append("@example.com");
                        list.append(random.nextInt(3) == 0 ? " to=Bob@example.com" : "");
                        list.append(end);
                    }
                }
            }
            if (random.nextBoolean()) {
                list.append("last@example.com");
            }
            assertThat(read(list.toString())).isEqualTo(model(list.toString()));
        }
    }

    private static ListModel read(String list) throws IOException {
        return ListModel.read(new ByteArrayInputStream(list.getBytes(UTF_8)));
    }

    private static ListModel model(String list) {
        return ListModel.of(list.getBytes(UTF_8));
    }
}
