package io.github.senderwhitelist.it.scanner;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** A scanner in the place of {@code RspamdScanner}: a mail with GTUBE in it is spam. */
public final class GtubeScanner extends StandInScanner {
    /** What every spam filter takes for spam. */
    public static final String GTUBE =
            "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

    public static final String STATUS = "org.apache.james.rspamd.status";

    @Override
    String prefix() {
        return "org.apache.james.rspamd";
    }

    @Override
    Result scan(byte[] message) {
        return new String(message, ISO_8859_1).contains(GTUBE)
                ? new Result(true, "actions=reject score=15.0 requiredScore=14.0")
                : new Result(false, "actions=no action score=0.0 requiredScore=14.0");
    }
}
