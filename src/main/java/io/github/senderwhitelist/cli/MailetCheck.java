package io.github.senderwhitelist.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.cli.WebClient.Answer;
import io.github.senderwhitelist.decision.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A check of senders by a mailet or matcher of a running James, which has lists and policy. */
final class MailetCheck implements Checker.SenderCheck {
    private final WebClient client;
    private final @Nullable String as;
    private final Map<String, String> mail;

    /**
     * Creates a check.
     *
     * @param as the name of the mailet or matcher; null if there is only one
     * @param mail the parameters of the question that describe the mail, but for its sender
     */
    MailetCheck(WebClient client, @Nullable String as, Map<String, String> mail) {
        this.client = client;
        this.as = as;
        this.mail = mail;
    }

    @Override
    public Answer answer(String sender) throws IOException {
        StringBuilder path =
                new StringBuilder("/whitelists/explain?sender=").append(WebClient.encoded(sender));
        if (as != null) {
            path.append("&as=").append(WebClient.encoded(as));
        }
        mail.forEach(
                (name, value) ->
                        path.append('&').append(name).append('=').append(WebClient.encoded(value)));
        WebClient.Answer answered = client.ask("GET", path.toString(), null);
        if (!answered.found()) {
            throw new IOException("--as: " + detail(answered));
        }
        JsonArray explanations = answered.body().getArray("explanations", new JsonArray());
        if (explanations.size() != 1) {
            throw new IOException(unclear(explanations));
        }
        return answer(sender, explanations.getObject(0));
    }

    private static String detail(WebClient.Answer answered) {
        String details = answered.body().getString("details");
        return details == null ? "no mailet or matcher has this name" : Text.escaped(details);
    }

    private static String unclear(JsonArray explanations) {
        if (explanations.isEmpty()) {
            return "no mailet SenderWhitelist and no matcher SenderIsWhitelisted is in use there";
        }
        List<String> names = new ArrayList<>();
        explanations.forEach(each -> names.add("'" + ((JsonObject) each).getString("as") + "'"));
        return "several mailets and matchers ask lists there, each in its own way; give --as with"
                + " one of: "
                + Text.escaped(String.join(", ", names));
    }

    private Answer answer(String sender, JsonObject explanation) {
        JsonObject verdict =
                explanation.getArray("verdicts", new JsonArray()).getObject(0, new JsonObject());
        List<String> steps = new ArrayList<>();
        explanation
                .getArray("steps", new JsonArray())
                .forEach(step -> steps.add(String.valueOf(step)));
        String word = verdict.getString("verdict", Verdict.UNAVAILABLE);
        String entry = verdict.getString("entry");
        String last = steps.isEmpty() ? "no answer" : steps.getLast();
        return new Answer(
                word,
                verdict.getString("reason", ""),
                entry == null
                        ? ListCheck.withoutEntry(!mail.containsKey("recipient"), steps)
                        : entry,
                word.equals(Verdict.UNAVAILABLE)
                        ? Text.shown(sender) + ": could not tell: " + last
                        : "",
                steps);
    }
}
