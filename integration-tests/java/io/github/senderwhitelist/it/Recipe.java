package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The XML that a page tells a reader to paste, in the order of the page. Each piece begins with a
 * comment that says where it goes.
 */
record Recipe(List<Piece> pieces) {
    /** A pipeline with the processors of James' own in their order, and the first recipe in it. */
    static final Path SPAM_FOLDER = Path.of("conf/mailetcontainer-spam-folder.xml");

    /** The same with the third recipe. */
    static final Path MARKED = Path.of("conf/mailetcontainer-marked.xml");

    private static final String MAY_BE = "SenderMayBeWhitelisted";

    private static final Pattern PIECE =
            Pattern.compile("(?ms)^ *```xml\n *<!-- conf/(\\S+?)(?:, ([^\n]+))? -->\n(.*?)^ *```$");
    private static final Pattern PLACE =
            Pattern.compile(
                    "processor (\\S+), (after its first line|after the mailet with)(?: (\\S+))?"
                            + "|after the processor (\\S+)|in place of each (\\S+)"
                            + "|before its last line");
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\n(.*?)^```$");
    private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");

    /** XML for a file of {@code conf/}, and where in it; nowhere is the whole file. */
    record Piece(String file, String place, List<String> lines) {}

    /** Reads what stands under a heading of a page, with all headings below it. */
    static Recipe of(Path page, String heading) {
        String part = part(page, heading);
        List<Piece> pieces = new ArrayList<>();
        for (MatchResult piece : PIECE.matcher(part).results().toList()) {
            String place = piece.group(2) == null ? "" : piece.group(2);
            pieces.add(new Piece(piece.group(1), place, lines(piece.group(3))));
        }
        assertThat(pieces).as("%s: %s", page, heading).isNotEmpty();
        return new Recipe(pieces);
    }

    /** Returns the commands that stand there, a block each. */
    static List<String> commands(Path page, String heading) {
        return COMMANDS.matcher(part(page, heading))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static String part(Path page, String heading) {
        String text = Docs.read(page);
        int begin = text.indexOf("\n" + heading + "\n");
        assertThat(begin).as("%s: %s", page, heading).isNotNegative();
        String level = heading.substring(0, heading.indexOf(' ') + 1);
        int end = text.indexOf("\n" + level, begin + 1);
        return text.substring(begin, end < 0 ? text.length() : end);
    }

    /** Returns what of this changes the pipeline. */
    Recipe pipeline() {
        return new Recipe(
                pieces.stream().filter(each -> each.file.equals("mailetcontainer.xml")).toList());
    }

    /** Returns this recipe and after it another one. */
    Recipe then(Recipe other) {
        List<Piece> both = new ArrayList<>(pieces);
        both.addAll(other.pieces);
        return new Recipe(both);
    }

    /** Returns the lines of a pipeline, without its comments. */
    static List<String> whole(Path pipeline) throws IOException {
        return lines(COMMENT.matcher(Files.readString(pipeline)).replaceAll(""));
    }

    /** Returns {@link #SPAM_FOLDER} as it was before somebody pasted the pieces. */
    static List<String> stock() throws IOException {
        List<String> stock = whole(SPAM_FOLDER);
        stock.removeIf(
                line ->
                        Stream.of("RspamdScanner", "spam-of-strangers\" class")
                                .anyMatch(line::contains));
        for (String each :
                List.of(MAY_BE, MAY_BE, MailetContainer.WHITELIST, "LearnCorrespondents")) {
            int mailet = indexOf(stock, 0, each);
            stock.subList(mailet, indexOf(stock, mailet, "</mailet>") + 1).clear();
        }
        int matcher = indexOf(stock, 0, "<matcher name=\"spam-of-strangers\"");
        stock.subList(matcher, indexOf(stock, matcher, "</matcher>") + 2).clear();
        return stock;
    }

    /** Does what the page says in a folder {@code conf/}. */
    void into(ServerDirectory directory) throws IOException {
        for (Piece piece : pieces) {
            Path file = directory.conf(piece.file);
            List<String> lines = piece.lines;
            if (!piece.place.isEmpty()) {
                lines = lines(Files.readString(file));
                paste(piece, lines);
            }
            Files.write(file, lines);
        }
    }

    private static void paste(Piece piece, List<String> lines) {
        MatchResult place =
                PLACE.matcher(piece.place)
                        .results()
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("where is this: " + piece.place));
        if (piece.place.equals("before its last line")) {
            lines.addAll(lines.size() - 1, piece.lines);
            return;
        }
        if (place.group(4) != null) {
            int processor = processor(lines, place.group(4));
            List<String> rest = lines.subList(processor, lines.size());
            rest.addAll(rest.indexOf("</processor>") + 1, piece.lines);
            return;
        }
        if (place.group(5) != null) {
            lines.replaceAll(line -> line.replace(place.group(5), piece.lines.getFirst()));
            return;
        }
        int processor = processor(lines, place.group(1));
        if (place.group(2).equals("after its first line")) {
            lines.addAll(processor + 1, piece.lines);
            return;
        }
        int mailet = indexOf(lines, processor, place.group(3));
        assertThat(lines.get(mailet)).startsWith("<mailet ");
        int end = lines.get(mailet).endsWith("/>") ? mailet : indexOf(lines, mailet, "</mailet>");
        lines.addAll(end + 1, piece.lines);
    }

    private static int processor(List<String> lines, String name) {
        return indexOf(lines, 0, "<processor state=\"" + name + "\"");
    }

    private static int indexOf(List<String> lines, int from, String text) {
        for (int i = from; i < lines.size(); i++) {
            if (lines.get(i).contains(text)) {
                return i;
            }
        }
        throw new AssertionError("no line with " + text);
    }

    private static List<String> lines(String text) {
        return new ArrayList<>(text.lines().map(String::strip).filter(s -> !s.isEmpty()).toList());
    }
}
