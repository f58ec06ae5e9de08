package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads text lists as entries. */
public final class TextLists {
    private TextLists() {}

    /** Takes the entry of each line. */
    public interface EntrySink {
        void accept(Entry entry) throws IOException;
    }

    /** Reads a list. */
    public static TextList.Summary read(InputStream in, String name, EntrySink sink)
            throws IOException {
        TextList.Sink adapter =
                (bytes, from, length, rules) -> {
                    Rule rule = RulesCodec.decode(rules, 0).getFirst();
                    byte[] key = Arrays.copyOfRange(bytes, from, from + length);
                    sink.accept(SortKey.entry(key).withOnly(rule));
                };
        return TextList.read(in, name, adapter);
    }
}
