package io.github.senderwhitelist.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What is taken off wrapped addresses, and how they are wrapped. */
final class ModelUnwrapping {
    private static final Pattern BATV = Pattern.compile("prvs=[0-9]{4}[0-9a-f]{6}=.+");
    private static final Pattern VERP =
            Pattern.compile("[a-z]+-[0-9]+-[^=\"]+=[a-z0-9.-]+\\.[a-z0-9.-]+");
    private static final Pattern SRS = Pattern.compile("srs0=[^=]{4,}=[a-z2-7]{2}=[^=]+=.+");
    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

    private ModelUnwrapping() {}

    /** Returns the address that a wrapped one stands for; any other as it is. */
    static ModelAddress unwrap(
            ModelAddress written, Set<String> forms, @Nullable String secret, Instant now) {
        ModelAddress address = written;
        if (forms.contains("batv") && BATV.matcher(address.local()).matches()) {
            address = replaced(address, address.local().substring(16), address.domain());
        }
        if (forms.contains("srs")) {
            ModelAddress original = unSrs(address, secret, now);
            if (original != null) {
                return original;
            }
        }
        if (forms.contains("verp")
                && VERP.matcher(address.local()).matches()) {
            String local = address.local();
            address = replaced(address, local.substring(0, local.indexOf('-')), address.domain());
        }
        return address;
    }

    private static ModelAddress replaced(ModelAddress address, String local, String domain) {
        ModelAddress made = ModelAddress.of(local + "@" + domain);
        return made == null ? address : made;
    }

    private static @Nullable ModelAddress unSrs(
            ModelAddress address, @Nullable String secret, Instant now) {
        String local = address.local();
        if (secret == null || !SRS.matcher(local).matches()) {
            return null;
        }
        String[] parts = local.split("=", 5);
        if (!hash(secret, parts[2] + parts[3] + parts[4]).equalsIgnoreCase(parts[1])) {
            return null;
        }
        long day = BASE32.indexOf(parts[2].charAt(0)) * 32L + BASE32.indexOf(parts[2].charAt(1));
        long age = Math.floorMod(now.getEpochSecond() / 86_400 - day, 1024L);
        return age > 21 ? null : ModelAddress.of(parts[4] + "@" + parts[3]);
    }

    /** Returns the local part by which a forwarder sends for an address. */
    static String srs(String local, String domain, Instant sent, String secret) {
        long day = Math.floorMod(sent.getEpochSecond() / 86_400, 1024L);
        String stamp =
                ("" + BASE32.charAt((int) (day / 32)) + BASE32.charAt((int) (day % 32)))
                        .toUpperCase(Locale.ROOT);
        return "SRS0="
                + hash(secret, stamp + domain + local)
                + "="
                + stamp
                + "="
                + domain
                + "="
                + local;
    }

    private static String hash(String secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA1"));
            byte[] hash = mac.doFinal(text.toLowerCase(Locale.ROOT).getBytes(UTF_8));
            return Base64.getEncoder().encodeToString(hash).substring(0, 4);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
