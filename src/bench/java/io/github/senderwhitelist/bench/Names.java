package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.TextResource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The words that addresses of people and companies are made of, commonest first. No first name is a
 * role or a word, and no initial with a surname is a first name or a role, so that the form of a
 * local part tells what it is made of.
 *
 * @param firsts 2,048 first names; the second half is made of two short ones
 * @param surnames 16,384 surnames
 * @param words the words of which companies' domains and nicknames are made
 */
record Names(List<String> firsts, List<String> surnames, List<String> words) {
    static final int FIRSTS_BITS = 11;
    static final int SURNAMES_BITS = 14;

    /** Local parts that belong to an office, not to a person; commonest first. */
    static final List<String> ROLES =
            split(
                    "info sales support contact office admin billing service hello team press jobs"
                            + " orders accounting marketing help webmaster mail careers hr invoice"
                            + " customerservice post purchasing enquiries media events booking"
                            + " reservations finance legal security postmaster abuse reception"
                            + " editor feedback privacy returns shipping membership payroll"
                            + " kontakt buchhaltung bestellung rechnung contacto ventas compras"
                            + " administracion comercial contabilidad accueil commande facturation"
                            + " informazioni amministrazione vendite it board secretary president"
                            + " tickets alumni");

    static final List<String> ROBOTS =
            split(
                    "noreply no-reply newsletter notifications donotreply news mailer"
                            + " do-not-reply");

    private static final int SHORT = 5;

    /** Reads the words, and makes the rarer names of them; the seed says which. */
    static Names read(long seed) {
        Random random = new Random(seed);
        Set<String> offices = new LinkedHashSet<>(ROLES);
        offices.addAll(ROBOTS);
        Set<String> firsts = new LinkedHashSet<>(lines("first-names.txt"));
        firsts.removeAll(offices);
        addDoubles(firsts, random);
        Set<String> surnames = new LinkedHashSet<>(lines("surnames.txt"));
        surnames.addAll(composed(random));
        Set<String> taken = new LinkedHashSet<>(offices);
        taken.addAll(firsts);
        for (String name : taken) {
            surnames.remove(name.substring(1));
        }
        Set<String> words = new LinkedHashSet<>(lines("words.txt"));
        words.removeAll(firsts);
        return new Names(
                first(firsts, 1 << FIRSTS_BITS),
                first(surnames, 1 << SURNAMES_BITS),
                List.copyOf(words));
    }

    private static List<String> first(Collection<String> names, int count) {
        return names.stream().limit(count).toList();
    }

    private static void addDoubles(Set<String> firsts, Random random) {
        List<String> shorts =
                firsts.stream()
                        .limit(1 << (FIRSTS_BITS - 1))
                        .filter(n -> n.length() <= SHORT)
                        .toList();
        List<String> written = first(firsts, 1 << (FIRSTS_BITS - 1));
        firsts.retainAll(new LinkedHashSet<>(written));
        while (firsts.size() < 1 << FIRSTS_BITS) {
            firsts.add(
                    shorts.get(random.nextInt(shorts.size()))
                            + shorts.get(random.nextInt(shorts.size())));
        }
    }

    private static List<String> composed(Random random) {
        List<String> names = new ArrayList<>();
        for (String line : TextResource.text(Names.class, "surname-parts.txt").lines().toList()) {
            if (line.startsWith("#")) {
                continue;
            }
            int bar = line.indexOf('|');
            for (String beginning : split(line.substring(0, bar))) {
                for (String ending : split(line.substring(bar + 1))) {
                    names.add(beginning + ending);
                }
            }
        }
        Collections.shuffle(names, random);
        return names;
    }

    private static List<String> lines(String resource) {
        return split(TextResource.text(Names.class, resource));
    }

    private static List<String> split(String text) {
        return List.of(text.strip().split("\\s+"));
    }
}
