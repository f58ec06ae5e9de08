package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Blank;
import io.github.senderwhitelist.list.ListLine.Good;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Stream;

/** What a line of a text list says. */
class ListLineTest {

    static Stream<Arguments> entries() {
        return Stream.of(
                Arguments.of("alice@example.com", "alice@example.com"),
                Arguments.of("  Alice@Example.COM\t", "alice@example.com"),
                Arguments.of("alice@example.com\r", "alice@example.com"),
                Arguments.of("alice@example.com # friend", "alice@example.com"),
                Arguments.of("alice@example.com #", "alice@example.com"),
                Arguments.of("alice#1@example.com", "alice#1@example.com"),
                Arguments.of("@example.com", "@example.com"),
                Arguments.of("@Example.COM.", "@example.com"),
                Arguments.of("@.example.com", "@.example.com"),
                Arguments.of("@.M\u00fcnchen.de   # all of it", "@.xn--mnchen-3ya.de"),
                Arguments.of("@[192.0.2.1]", "@[192.0.2.1]"),
                Arguments.of("@192.0.2.1", "@[192.0.2.1]"),
                Arguments.of("!mallory@example.com", "!mallory@example.com"),
                Arguments.of("! mallory@example.com # no", "!mallory@example.com"),
                Arguments.of("!@example.com", "!@example.com"),
                Arguments.of("!@.example.com", "!@.example.com"),
                Arguments.of("!!x@example.com", "!\"!x\"@example.com"),
                Arguments.of("\"a b\"@example.com # c", "\"a b\"@example.com"),
                Arguments.of("\"a # b\"@example.com", "\"a # b\"@example.com"),
                Arguments.of("\"a\\\" b\"@e.com", "\"a\\\" b\"@e.com"),
                Arguments.of("bob+tag@example.org", "bob+tag@example.org"),
                Arguments.of("a@b.c until=9999-12-31", "a@b.c until=9999-12-31"),
                Arguments.of("a@b.c  until=2027-01-31", "a@b.c until=2027-01-31"),
                Arguments.of("a@b.c until=2027-01-31T18:30Z", "a@b.c until=2027-01-31T18:30:00Z"),
                Arguments.of("a@b.c from=2027-01-31T00:00:00Z", "a@b.c from=2027-01-31"),
                Arguments.of("a@b.c until=2027-01-31T00:00Z", "a@b.c until=2027-01-30"),
                Arguments.of("a@b.c to=@D.E. # x", "a@b.c to=@d.e"),
                Arguments.of("a@b.c to=@.d.e", "a@b.c to=@.d.e"),
                Arguments.of("a@b.c to=\"X y\"@d.e", "a@b.c to=\"x y\"@d.e"),
                Arguments.of("a@b.c auth=none", "a@b.c auth=none"),
                Arguments.of("a@b.c note= ticket  #4711 ", "a@b.c note=ticket  #4711"),
                Arguments.of("a@b.c note=to=@d.e", "a@b.c note=to=@d.e"),
                Arguments.of(
                        "!@b.c to=x@d.e until=2027-01-31 from=2027-01-31 note=ü",
                        "!@b.c from=2027-01-31 until=2027-01-31 to=x@d.e note=ü"),
                Arguments.of("!\"!alice\"@example.com", "!\"!alice\"@example.com"),
                Arguments.of("\"#alice\"@example.com", "\"#alice\"@example.com"),
                Arguments.of("\"*\"@example.com", "\"*\"@example.com"),
                Arguments.of(
                        "a@b.c until=0000-01-01 from=0000-01-01",
                        "a@b.c from=0000-01-01 until=0000-01-01"),
                Arguments.of("a@b.c until=0000-01-01T00:00Z", "a@b.c until=0000-01-01T00:00:00Z"),
                Arguments.of("a@b.c to=\"*\"@d.e auth=dkim", "a@b.c auth=dkim to=\"*\"@d.e"),
                Arguments.of("a@b.c origin=learned to=d@e.f", "a@b.c to=d@e.f origin=learned"),
                Arguments.of("!a@b.c to=d@e.f origin=user", "!a@b.c to=d@e.f origin=user"),
                Arguments.of(
                        "bob@e.org\tuntil=2027-01-31 auth=dkim to=@d.e note=t 4711",
                        "bob@e.org until=2027-01-31 auth=dkim to=@d.e note=t 4711"));
    }

    /** An entry shown to people, or exported, is the line that says it. */
    @ParameterizedTest
    @MethodSource("entries")
    void lineShouldHaveItsEntry(String line, String entry) {
        assertThat(ListLine.parse(line)).isEqualTo(new Good(entryOf(entry)));
        assertThat(ListLine.parse(line).toString()).contains(entry);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "\t", "\r", "#", "# x@example.com", "   # x", "#x@example.com"})
    void blankLineAndCommentShouldHaveNoEntry(String line) {
        assertThat(ListLine.parse(line)).isEqualTo(new Blank());
    }

    static Stream<Arguments> badLines() {
        return Stream.of(
                Arguments.of("alice", List.of("no '@'", "local@domain")),
                Arguments.of("!", List.of("no '@'")),
                Arguments.of("! # who", List.of("unexpected 'who' after '#'")),
                Arguments.of("example.com", List.of("no '@'", "did you mean '@example.com'?")),
                Arguments.of("*.example.com", List.of("did you mean '@.example.com'?")),
                Arguments.of("@*.example.com", List.of("did you mean '@.example.com'?")),
                Arguments.of("a@b.c auth=spf,dkim", List.of("any is SPF or DKIM")),
                Arguments.of("@", List.of("no domain")),
                Arguments.of("@.", List.of("no domain")),
                Arguments.of("@..example.com", List.of("'.example.com'", "not a domain")),
                Arguments.of("@.[192.0.2.1]", List.of("literal has no subdomains")),
                Arguments.of("@.192.0.2.1", List.of("literal has no subdomains")),
                Arguments.of("*@example.com", List.of("patterns", "'@example.com'")),
                Arguments.of("a@b.c d@e.f", List.of("'d@e.f'", "'a@b.c'", "one entry a line")),
                Arguments.of("a@b.c,d@e.f", List.of("not a domain")),
                Arguments.of("a@b.c until=+999999999-12-31", List.of("+999999999", "a day")),
                Arguments.of("a@b.c from=12027-01-31T00:00Z", List.of("12027", "a day")),
                Arguments.of("a@b.c until=2027-02-29", List.of("until='2027-02-29'", "a day")),
                Arguments.of("a@b.c until=2027-01-31T18:30", List.of("until=", "18:30Z")),
                Arguments.of("a@b.c until=2027-01-31T25:30Z", List.of("until=")),
                Arguments.of("a@b.c until", List.of("unexpected 'until' after 'a@b.c'")),
                Arguments.of("a@b.c Until=2027-01-31", List.of("unexpected 'Until=2027-01-31'")),
                Arguments.of("a@b.c till=2027-01-31", List.of("'till=2027-01-31'", "until=")),
                Arguments.of(
                        "a@b.c from=2027-02-01 until=2027-01-31",
                        List.of("until= is before from=")),
                Arguments.of("a@b.c auth=DKIM", List.of("auth='DKIM'", "none, spf, dkim, any")),
                Arguments.of("a@b.c auth=dkim auth=spf", List.of("'auth=' twice", "add up")),
                Arguments.of("!a@b.c auth=dkim", List.of("auth='dkim'", "after '!'")),
                Arguments.of("a@b.c to=nobody", List.of("to=: ", "no '@'")),
                Arguments.of("a@b.c to=*@d.e", List.of("to=: ", "patterns")),
                Arguments.of("a@b.c to=", List.of("to=: ")),
                Arguments.of("a@b.c to=@d.e,@f.g", List.of("to=: ", "not a domain")),
                Arguments.of("a@b.c to=" + "x".repeat(256) + "@d.e", List.of("to=: ", "255")),
                Arguments.of("a@b.c to=d@e.f origin=me", List.of("origin='me'", "user, learned")),
                Arguments.of("a@b.c origin=user", List.of("origin=user", "to= with")),
                Arguments.of("@b.c to=d@e.f origin=user", List.of("origin=user", "whole address")),
                Arguments.of("a@b.c to=@e.f origin=learned", List.of("origin=learned", "to= with")),
                Arguments.of("!a@b.c to=d@e.f origin=learned", List.of("origin='learned'", "'!'")),
                Arguments.of("a@b.c note=", List.of("note=''")),
                Arguments.of("a@b.c note=" + "x".repeat(256), List.of("note=", "255 bytes")),
                Arguments.of("a@b.c note=a\tb\u0007", List.of("note='a\\u0009b\\u0007'")),
                Arguments.of("\"a b@example.com # c", List.of("closing quote")),
                Arguments.of("alice@example.com\rbob@example.com", List.of("bob@example.com")),
                Arguments.of("alice@example.com#x", List.of("not a domain")),
                Arguments.of("<alice@example.com>", List.of("quoted")),
                Arguments.of("\"a@e.com\"", List.of("closing quote")),
                Arguments.of("a@b..c", List.of("'b..c'", "letters", "253", "63", "brackets")),
                Arguments.of("l".repeat(256) + "@e.com", List.of("256 bytes", "at most 255")),
                Arguments.of("x".repeat(3000), List.of("3000 characters")),
                Arguments.of("a\u0007@example.com", List.of("\\u0007", "quoted")));
    }

    @ParameterizedTest
    @MethodSource("badLines")
    void badLineShouldSayWhatIsWrong(String line, List<String> parts) {
        assertThat(ListLine.parse(line)).isInstanceOf(Bad.class);
        String reason = ((Bad) ListLine.parse(line)).reason();
        assertThat(reason).contains(parts);
        assertThat(reason.chars()).noneMatch(Character::isISOControl);
    }

    private static Entry entryOf(String text) {
        if (!(ListLine.parse(text) instanceof Good(Entry entry))) {
            throw new AssertionError(text);
        }
        assertThat(entry).hasToString(text);
        assertThat(entry.denied()).isEqualTo(text.startsWith("!"));
        return entry;
    }
}
