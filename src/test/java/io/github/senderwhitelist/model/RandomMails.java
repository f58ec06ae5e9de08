package io.github.senderwhitelist.model;

import io.github.senderwhitelist.model.WhitelistModel.Mail;
import io.github.senderwhitelist.model.WhitelistModel.Settings;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Random lists and mails out of so few words that most mails meet some line. */
final class RandomMails {
    static final String SECRET = "tell nobody";

    private static final String[] LOCALS = {
        "a", "A", "\"a\"", "\"\\a\"", "b", "a+t",
        "A+T", "\"a+t\"", "a+t+u", "+t", "a-t", "\"a b\"",
        "\"a b+t\"", "\"A \\b\"", "a.b", "..a", "\u00e9", "E\u0301",
        "e\u0301+t", "stra\u00dfe", "STRASSE", "x#y", "a=t", "a!b",
        "\"a.\"", "\"\""
    };
    private static final String[] DOMAINS = {
        "x.example", "X.Example", "x.example.", "m.x.example",
        "d.m.x.example", "notx.example", "b\u00fccher.example", "xn--bcher-kva.example",
        "m.B\u00dcCHER.example", "example", "example.org", "[192.0.2.1]"
    };
    private static final String[] TIMES = {
        "2027-01-31", "2027-02-01", "2027-01-31T18:30Z", "2027-01-31T18:30:01Z"
    };
    private static final Instant[] MOMENTS = {
        Instant.parse("2027-01-30T23:59:59.999Z"), Instant.parse("2027-01-31T00:00:00Z"),
        Instant.parse("2027-01-31T18:29:59Z"), Instant.parse("2027-01-31T18:30:00Z"),
        Instant.parse("2027-01-31T18:30:01Z"), Instant.parse("2027-01-31T23:59:59.999999999Z"),
        Instant.parse("2027-02-01T00:00:00Z"), Instant.parse("2027-02-02T00:00:00Z")
    };
    private static final String[] METHODS = {"none", "spf", "dkim", "any"};
    private static final String[] BAD = {
        "a",
        "@",
        "a@",
        "@.",
        "a@x..example",
        "a@x.example until=tomorrow",
        "a@x.example until=2027-02-30",
        "a@x.example until=2027-01-31 until=2027-02-01",
        "!a@x.example auth=dkim",
        "a@x.example auth=arc",
        "a@x.example to=",
        "a@x.example to=b",
        "a@x.example to=b@x.example origin=nobody",
        "!a@x.example to=b@x.example origin=learned",
        "a@x.example origin=user",
        "@x.example to=b@x.example origin=user",
        "a@x.example to=@x.example origin=learned",
        "a@x.example b@x.example",
        "a@x.example x=y",
        "a@x.example until",
        "a b@x.example"
    };

    /** The first locals and domains are ways to write two and one. */
    private static final int FEW_LOCALS = 5;

    private static final int FEW_DOMAINS = 3;

    private final SplittableRandom random;

    /** The sender of the mail before it was wrapped. */
    private String inner = "";

    /** The first recipient of the mail. */
    private @Nullable String to;

    /** Whom users know. */
    private final List<Known> known = new ArrayList<>();

    /** A sender whom a user knows. */
    private record Known(String sender, String user) {}

    /** Whether lists have lines of users and learned ones. */
    private boolean withPersonal;

    /**
     * Whether there are two addresses only, so that lines of several origins are about the same.
     */
    private boolean few;

    RandomMails(long seed) {
        random = new SplittableRandom(seed);
    }

    private <T> T one(T[] of) {
        return of[random.nextInt(of.length)];
    }

    private boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    private String address() {
        return few
                ? LOCALS[random.nextInt(FEW_LOCALS)] + "@" + DOMAINS[random.nextInt(FEW_DOMAINS)]
                : one(LOCALS) + "@" + one(DOMAINS);
    }

    private String pattern() {
        if (few && !once(4)) {
            return address();
        }
        return switch (random.nextInt(3)) {
            case 0 -> address();
            case 1 -> "@" + one(DOMAINS);
            default -> "@." + one(DOMAINS).replace("[192.0.2.1]", "example");
        };
    }

    /** Returns one or two lists, most of them short. */
    List<List<String>> lists() {
        withPersonal = once(2);
        few = once(2);
        known.clear();
        List<List<String>> lists = new ArrayList<>();
        for (int left = once(4) ? 2 : 1; left > 0; left--) {
            lists.add(list());
        }
        return lists;
    }

    private List<String> list() {
        List<String> list = new ArrayList<>();
        for (int left = 1 + random.nextInt(12); left > 0; left--) {
            list.add(line());
        }
        if (once(100)) {
            for (int left = 96 + random.nextInt(8) - list.size(); left > 0; left--) {
                list.add("filler" + left + "@filler.example");
            }
            list.add(one(BAD));
        } else if (once(50)) {
            list.add(one(BAD));
        }
        return list;
    }

    private String line() {
        if (once(20)) {
            return once(2) ? "" : "# a@x.example";
        }
        boolean never = once(few ? 2 : 4);
        String sender = pattern();
        StringBuilder line = new StringBuilder(never ? "!" : "").append(sender);
        List<String> conditions = new ArrayList<>();
        if (once(5)) {
            conditions.add("until=" + one(TIMES));
        }
        if (once(6)) {
            conditions.add("from=" + one(TIMES));
        }
        if (few ? !once(4) : once(2)) {
            // A user often has several lines.
            String recipients =
                    known.isEmpty() || once(2)
                            ? pattern()
                            : known.get(random.nextInt(known.size())).user;
            conditions.add("to=" + recipients);
            if (withPersonal && !sender.startsWith("@") && !recipients.startsWith("@")) {
                known.add(new Known(sender, recipients));
                conditions.add(
                        "origin=" + (once(3) ? "admin" : never || once(2) ? "user" : "learned"));
            }
        }
        if (once(5) && !never) {
            conditions.add("auth=" + one(METHODS));
        }
        while (!conditions.isEmpty()) {
            line.append(once(4) ? "\t " : " ");
            line.append(conditions.remove(random.nextInt(conditions.size())));
        }
        if (once(10)) {
            line.append(once(2) ? "  # auth=dkim" : " note=to=b@x.example # until=2020-01-01");
        }
        return line.toString();
    }

    Settings settings() {
        @Nullable Character delimiter = delimiter();
        Set<String> unwrap = new HashSet<>();
        if (once(2)) {
            for (String form : new String[] {"batv", "srs", "verp"}) {
                if (once(2)) {
                    unwrap.add(form);
                }
            }
        }
        return new Settings(
                once(2) ? "envelope" : one(new String[] {"from", "either", "both"}),
                delimiter,
                once(2) ? delimiter : delimiter(),
                unwrap,
                unwrap.contains("srs") ? SECRET : null,
                once(2) ? "none" : one(METHODS),
                users());
    }

    private @Nullable Character delimiter() {
        if (once(5)) {
            return null;
        }
        return once(3) ? Character.valueOf("-=#!".charAt(random.nextInt(4))) : '+';
    }

    private Map<String, String> users() {
        Map<String, String> users = new HashMap<>();
        for (int left = few ? 0 : random.nextInt(30); left > 0; left--) {
            ModelAddress alias = ModelAddress.of(address());
            if (alias != null) {
                users.put(alias.toString(), address());
            }
        }
        return users;
    }

    /** Returns the recipients of the next mail, three or none. */
    List<String> recipients() {
        List<String> recipients = new ArrayList<>();
        for (int left = once(3) ? 0 : 3; left > 0; left--) {
            boolean isUser = !known.isEmpty() && once(2);
            recipients.add(isUser ? known.get(random.nextInt(known.size())).user : address());
        }
        to = recipients.isEmpty() ? null : recipients.getFirst();
        return recipients;
    }

    /** Returns a mail to these recipients. */
    Mail mail() {
        Instant at = one(MOMENTS);
        Set<String> confirmed = new HashSet<>();
        for (int left = random.nextInt(3); left > 0; left--) {
            String domain = ModelAddress.domain(one(DOMAINS));
            confirmed.add((once(2) ? "spf " : "dkim ") + domain);
        }
        String sender = sender(at);
        String from = sender;
        if (once(2)) {
            // Often the one whose address was wrapped.
            String person = once(2) ? inner : anybody();
            from = once(5) ? null : once(3) ? wrapped(person, at) : person;
        }
        return new Mail(sender, from, at, confirmed);
    }

    /** Returns somebody whom the recipient knows, if there is one, as often as not. */
    private String anybody() {
        List<Known> people = known.stream().filter(each -> each.user.equals(to)).toList();
        return people.isEmpty() || once(2)
                ? address()
                : people.get(random.nextInt(people.size())).sender;
    }

    private String sender(Instant at) {
        inner = anybody();
        if (once(40)) {
            return one(
                    new String[] {"a", "a@", "@x.example", "a@.example", "a b@x.example", "\"a"});
        }
        String sender = inner;
        while (once(5) && isWrappable(sender)) {
            sender = wrapped(sender, at);
        }
        return sender;
    }

    private static boolean isWrappable(String address) {
        return address.matches("[^\"].*@.*[^]]");
    }

    private String wrapped(String address, Instant at) {
        int split = address.indexOf('@');
        return isWrappable(address)
                ? wrapped(address.substring(0, split), address.substring(split + 1), at)
                : address;
    }

    private String wrapped(String local, String domain, Instant at) {
        return switch (random.nextInt(4)) {
            case 0 -> signed(local) + "@" + domain;
            case 1 ->
                    local + (once(2) ? "+CAF_=b=here.example@" : "+SRS=x=IX=y=b.example@") + domain;
            case 2 ->
                    local
                            + (once(2) ? "-4711" : "")
                            + (once(2) ? "-" : "+")
                            + "b=here.example@"
                            + domain;
            default -> rewritten(local, domain, at);
        };
    }

    private String signed(String local) {
        return switch (random.nextInt(4)) {
            case 0 -> "PRVS=0123abCDef=" + local;
            case 1 -> "prvs=" + local + "=0123abCDef";
            case 2 -> "btv1==0123abcdef0==" + local;
            default -> "msprvs1=20192PA_4BrJs=" + local;
        };
    }

    private String rewritten(String local, String domain, Instant at) {
        int days = once(2) ? 21 + random.nextInt(2) : 0;
        String secret = once(6) ? "another" : SECRET;
        String host = once(2) ? "fwd.example" : one(DOMAINS).replace("[192.0.2.1]", "example");
        Instant sent = at.minusSeconds(86_400L * days);
        String first = ModelUnwrapping.srs(local, domain, sent, secret);
        String again = once(6) ? "another" : SECRET;
        return (once(4) ? ModelUnwrapping.srs1(first, host, again) : first) + "@" + host;
    }
}
