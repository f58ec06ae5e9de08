package io.github.senderwhitelist.bench;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Makes names of domains of companies, all different. */
final class CompanyDomains {
    private static final String[] SUFFIXES = {
        ".com", ".com", ".com", ".com", ".com", ".com", ".com", ".com", ".org", ".org", ".net",
        ".net", ".de", ".de", ".de", ".co.uk", ".co.uk", ".fr", ".it", ".nl", ".io", ".com.br",
        ".es", ".edu", ".pl", ".ch", ".at", ".com.au", ".ca", ".eu", ".info", ".us"
    };
    private static final String[] SUBDOMAINS = {
        "mail", "news", "email", "info", "e", "em", "shop", "support", "mg", "post", "lists", "cs"
    };
    private static final String[] TRADES = {
        "group",
        "law",
        "consulting",
        "tech",
        "media",
        "design",
        "online",
        "shop",
        "service",
        "gmbh",
        "partners",
        "solutions",
        "systems",
        "bau",
        "auto",
        "travel"
    };

    private final Names names;
    private final Random random;

    private CompanyDomains(Names names, Random random) {
        this.names = names;
        this.random = random;
    }

    static byte[][] of(Names names, int count, long seed) {
        CompanyDomains domains = new CompanyDomains(names, new Random(seed));
        Set<String> taken = HashSet.newHashSet(count);
        byte[][] made = new byte[count][];
        for (int i = 0; i < count; ) {
            String domain = domains.next();
            if (taken.add(domain)) {
                made[i++] = domain.getBytes(StandardCharsets.US_ASCII);
            }
        }
        return made;
    }

    private String next() {
        String subdomain = random.nextInt(16) == 0 ? oneOf(List.of(SUBDOMAINS)) + "." : "";
        String hyphen = random.nextInt(8) == 0 ? "-" : "";
        String name =
                switch (random.nextInt(8)) {
                    case 0 -> surname();
                    case 1, 2 -> surname() + hyphen + oneOf(List.of(TRADES));
                    case 3 -> surname() + hyphen + surname();
                    case 4 -> word() + hyphen + oneOf(List.of(TRADES));
                    default -> word() + hyphen + word();
                };
        return subdomain + name + oneOf(List.of(SUFFIXES));
    }

    private String word() {
        return oneOf(names.words());
    }

    private String surname() {
        return oneOf(names.surnames());
    }

    private String oneOf(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
