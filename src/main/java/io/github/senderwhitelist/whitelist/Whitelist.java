package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.whitelist.Generation.RetiredException;
import io.github.senderwhitelist.whitelist.Verdict.Listed;
import io.github.senderwhitelist.whitelist.Verdict.NotListed;
import io.github.senderwhitelist.whitelist.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/**
 * The decision: whether a sender is on one of several lists.
 *
 * <p>Keys are tried from the most specific to the widest: the address, the address without its tag,
 * its domain, its parent domains from the nearest up. The first that any list holds decides; where
 * lists disagree on it, {@code !} wins. A filter that says no settles its list without a look at
 * the store or the cache.
 *
 * <p>Asking takes no lock and changes nothing; any number of threads may.
 */
public final class Whitelist {
    private final List<ListInForce> lists;
    private final Subaddressing subaddressing;

    /** The decision over these lists. */
    public Whitelist(List<? extends ListInForce> lists, Subaddressing subaddressing) {
        this.lists = List.copyOf(lists);
        this.subaddressing = subaddressing;
    }

    /** The verdict on a sender. */
    public Verdict check(Address sender) {
        while (true) {
            try {
                return check(sender, generations());
            } catch (RetiredException e) {
                // A refresh came between; the generation now in force answers instead.
                Thread.onSpinWait();
            } catch (IOException e) {
                return new Unavailable(e);
            }
        }
    }

    /**
     * Generations that were all in force at one moment, so that an entry that moves from list to
     * list is never in none: reads round and round until a whole round found nothing changed.
     */
    private Generation[] generations() {
        Generation[] generations = new Generation[lists.size()];
        int same = 0;
        for (int i = 0; same < generations.length; i = (i + 1) % generations.length) {
            Generation now = lists.get(i).current();
            same = now == generations[i] ? same + 1 : 1;
            generations[i] = now;
        }
        return generations;
    }

    private Verdict check(Address sender, Generation[] generations)
            throws IOException, RetiredException {
        Verdict verdict = checkAddress(sender.key(), generations);
        if (verdict != null) {
            return verdict;
        }
        Key untagged = sender.keyWithoutTag(subaddressing);
        verdict = untagged == null ? null : checkAddress(untagged, generations);
        for (int domain = sender.firstDomain();
                verdict == null && domain >= 0;
                domain = sender.nextDomain(domain)) {
            verdict = checkDomain(sender, domain, generations);
        }
        return verdict == null ? NotListed.STRANGER : verdict;
    }

    private static @Nullable Verdict checkAddress(Key key, Generation[] generations)
            throws IOException, RetiredException {
        Verdict verdict = null;
        for (Generation generation : generations) {
            if (generation.mightContainAddress(key)) {
                verdict = stronger(verdict, generation.find(key));
            }
        }
        return verdict;
    }

    private static @Nullable Verdict checkDomain(
            Address sender, int domain, Generation[] generations)
            throws IOException, RetiredException {
        Verdict verdict = null;
        for (Generation generation : generations) {
            if (generation.mightContainDomain(sender.key().bytes(), domain)) {
                verdict = stronger(verdict, generation.find(sender.domainKey(domain)));
            }
        }
        return verdict;
    }

    private static @Nullable Verdict stronger(@Nullable Verdict verdict, @Nullable Entry entry) {
        if (entry == null || verdict instanceof NotListed) {
            return verdict;
        }
        return entry.denied() ? new NotListed(entry) : new Listed(entry);
    }
}
