package io.github.senderwhitelist.list;

import static io.github.senderwhitelist.FuzzText.require;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.FuzzText;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.list.ListLine.Good;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/**
 * The list parser against {@link ListModel}. First byte, by bits: packed with gzip; behind so long
 * a comment that the reader's buffer ends within the list, as far in as the second byte says.
 */
public final class ListFuzz {
    private static final int PACKED = 2;

    /** The slow variant needs two bits, so that it is chosen less often. */
    private static final int BEHIND_COMMENT = 20;

    private ListFuzz() {}

    /** Checks one input. */
    public static void fuzzerTestOneInput(byte[] data) throws IOException {
        if (data.length < 2) {
            return;
        }
        byte[] list = Arrays.copyOfRange(data, 2, data.length);
        if ((data[0] & BEHIND_COMMENT) == BEHIND_COMMENT) {
            list = behindComment(list, data[1] & 0xff);
        }
        ListModel model = ListModel.of(list);
        boolean packed = (data[0] & PACKED) != 0;
        if (!packed && isPacked(list)) {
            refusedOrRead(list);
            return;
        }
        ListModel read = ListModel.read(new ByteArrayInputStream(packed ? pack(list) : list));
        require(read.equals(model), read + " read, but it is " + model);
        model.complaints().forEach(FuzzText::requireOneLine);
        for (Entry entry : model.entries()) {
            // The line of an entry must parse to that entry.
            require(
                    ListLine.parse(entry.toString()) instanceof Good(Entry again)
                            && again.equals(entry),
                    "'" + entry + "' is not itself");
            require(
                    SortKey.localLength(entry.key().bytes(), 0) == entry.key().localLength(),
                    "sort key of " + new String(entry.key().bytes(), ISO_8859_1));
        }
    }

    private static byte[] behindComment(byte[] list, int in) {
        byte[] long_ = new byte[TextList.BUFFER - in + list.length];
        Arrays.fill(long_, 0, TextList.BUFFER - in, (byte) '#');
        long_[TextList.BUFFER - in - 1] = '\n';
        System.arraycopy(list, 0, long_, TextList.BUFFER - in, list.length);
        return long_;
    }

    private static boolean isPacked(byte[] list) {
        return list.length >= 2 && list[0] == 0x1f && list[1] == (byte) 0x8b;
    }

    private static byte[] pack(byte[] list) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(list);
        }
        return packed.toByteArray();
    }

    private static void refusedOrRead(byte[] packed) {
        try {
            ListModel.read(new ByteArrayInputStream(packed));
        } catch (IOException e) {
            FuzzText.requireOneLine(String.valueOf(e.getMessage()));
        }
    }
}
