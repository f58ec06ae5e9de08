package io.github.senderwhitelist.mailet;

import jakarta.mail.MessagingException;

import org.apache.mailet.Attribute;
import org.apache.mailet.base.test.FakeMail;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What James 3.8 and 3.9 know of a mail before it is judged, in words: {@code login}, {@code jmap},
 * {@code network[=false]}, {@code spf=RESULT}, {@code hook=TEXT}, {@code dkim=DOMAINS}, {@code
 * dkim-result=LINE}, {@code i=IDENTITY}, {@code header=LINE}.
 */
record Known(String head, List<Attribute> attributes) {
    private static final String NAMED = "(spf|hook|dkim|dkim-result|i|header|network)=";
    private static final Pattern WORDS =
            Pattern.compile(
                    "(login|jmap|network|%s(.*?))(?= (?:login|jmap|network|%s)|$)"
                            .formatted(NAMED, NAMED.replace("(", "(?:")));

    /** Parses words. */
    static Known of(String words) {
        StringBuilder head = new StringBuilder();
        List<Attribute> attributes = new ArrayList<>();
        Matcher known = WORDS.matcher(words);
        while (known.find()) {
            String value = String.valueOf(known.group(3));
            switch (known.group(2) == null ? known.group(1) : known.group(2)) {
                case "login" -> attributes.add(attribute("SMTPAuthUser", "sam"));
                case "jmap" ->
                        attributes.add(
                                attribute("jmap.send.MailMetaData.username", "sam@here.example"));
                case "network" ->
                        attributes.add(attribute("SMTPIsAuthNetwork", !value.equals("false")));
                case "spf" -> attributes.add(attribute("transport.mailets.spf.result", value));
                case "hook" -> attributes.add(attribute("spf.header", value));
                case "dkim" -> {
                    attributes.add(signed(identities(value)));
                    for (String domain : value.split(",", -1)) {
                        head.append("DKIM-Signature: v=1; a=rsa-sha256;\r\n\td=" + domain)
                                .append("; b=aGVsbG8=\r\n");
                    }
                }
                case "dkim-result" -> attributes.add(signed(value));
                case "i" ->
                        head.append("DKIM-Signature: v=1; d=x.example;\r\n i=" + value)
                                .append("; b=aGVsbG8=\r\n");
                default -> head.append(value).append("\r\n");
            }
        }
        return new Known(head.toString(), attributes);
    }

    private static Attribute attribute(String name, Object value) {
        return Attribute.convertToAttribute("org.apache.james." + name, value);
    }

    private static String identities(String domains) {
        return Stream.of(domains.split(",", -1))
                .map(domain -> " (identity @" + domain + ")")
                .collect(Collectors.joining("", "pass", ""));
    }

    private static Attribute signed(String result) {
        return Attribute.convertToAttribute("jDKIM.AUTHRESULT", result);
    }

    /** Returns a mail with these headers From:. */
    FakeMail mail(String sender, List<String> froms, String... recipients)
            throws MessagingException {
        String all =
                froms.stream().map(from -> "From: " + from + "\r\n").collect(Collectors.joining());
        FakeMail mail =
                TestServer.mail(
                        sender,
                        TestServer.message("Subject: test\r\n" + all + head + "\r\nHello\r\n"),
                        recipients);
        attributes.forEach(mail::setAttribute);
        return mail;
    }
}
