package io.github.senderwhitelist.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What is taken off wrapped addresses, and how they are wrapped. */
final class ModelUnwrapping {
    private static final String PRVS = "[0-9]{4}[0-9a-f]{6}";
    private static final List<Pattern> BATV =
            List.of(
                    Pattern.compile("prvs=" + PRVS + "=(.+)"),
                    Pattern.compile("prvs=(.+)=" + PRVS),
                    Pattern.compile("btv1==[0-9]{3}[0-9a-f]{8}==(.+)"),
                    Pattern.compile("msprvs1=[0-9]{5}[0-9a-z_-]{8}=(.+)"));
    private static final String HOST = "=([a-z0-9_-]+\\.)+[a-z0-9_-]+";
    private static final Pattern VERP_PLUS = Pattern.compile("([^+]+)\\+.+" + HOST);
    private static final Pattern VERP_HYPHEN = Pattern.compile("([^+]+)-[^-+]+" + HOST);
    private static final Pattern SRS = Pattern.compile("srs0=[^=]{4,}=[a-z2-7]{2}=[^=]+=.+");
    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

    private ModelUnwrapping() {}

    /** Returns the address that a wrapped one stands for; any other as it is. */
    static ModelAddress unwrap(
            ModelAddress written, Set<String> forms, @Nullable String secret, Instant now) {
        ModelAddress address = forms.contains("batv") ? withoutBatv(written) : written;
        ModelAddress original = forms.contains("srs") ? unSrs(address, secret, now) : null;
        if (original != null) {
            address = forms.contains("batv") ? withoutBatv(original) : original;
        }
        return forms.contains("verp") ? withoutRecipient(address) : address;
    }

    private static ModelAddress withoutBatv(ModelAddress address) {
        List<String> inner =
                BATV.stream()
                        .map(form -> form.matcher(address.local()))
                        .filter(Matcher::matches)
                        .map(found -> found.group(1))
                        .toList();
        return inner.size() == 1 ? replaced(address, inner.getFirst()) : address;
    }

    /** The recipient begins at the first plus, or without one at the last hyphen. */
    private static ModelAddress withoutRecipient(ModelAddress address) {
        Matcher verp = VERP_PLUS.matcher(address.local());
        if (!verp.matches()) {
            verp = VERP_HYPHEN.matcher(address.local());
        }
        return !verp.matches() || address.isForwarded()
                ? address
                : replaced(address, verp.group(1).replaceFirst("[-+][0-9]+$", ""));
    }

    private static ModelAddress replaced(ModelAddress address, String local) {
        ModelAddress made = ModelAddress.of(local + "@" + address.domain());
        return made == null ? address : made;
    }

    private static @Nullable ModelAddress unSrs(
            ModelAddress address, @Nullable String secret, Instant now) {
        String local = address.local();
        if (secret != null && local.matches("srs1=[^=]{4,}=[^=]+==.+")) {
            String[] parts = local.split("=", 4);
            if (!hash(secret, parts[2] + parts[3]).equalsIgnoreCase(parts[1])) {
                return null;
            }
            local = "srs0" + parts[3];
        }
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

    /** Returns the local part by which the next forwarder sends for that of another one. */
    static String srs1(String srs0, String host, String secret) {
        String rest = srs0.substring("SRS0".length());
        return "SRS1=" + hash(secret, host + rest) + "=" + host + "=" + rest;
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
