package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/** Reads text lists as entries. */
final class TextLists {
    private TextLists() {}

    interface EntrySink {
        void accept(Entry entry) throws IOException;
    }

    static TextList.Summary read(InputStream in, String name, EntrySink sink) throws IOException {
        TextList.Sink adapter =
                (bytes, from, length, rules) -> {
                    int local = SortKey.localLength(bytes, from);
                    Key key =
                            Key.of(
                                    Arrays.copyOfRange(bytes, from, from + local),
                                    Arrays.copyOfRange(bytes, from + local + 1, from + length));
                    sink.accept(new Entry(key, RulesCodec.decode(rules, 0, rules.length)));
                };
        return TextList.read(in, name, List.of(adapter));
    }
}
