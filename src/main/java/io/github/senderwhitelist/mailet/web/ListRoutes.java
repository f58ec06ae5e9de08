package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.RecentMails.Row;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The routes that change whole lists, and those of all that is kept of a user. */
public final class ListRoutes {
    private final SharedLists lists;

    public ListRoutes(SharedLists lists) {
        this.lists = lists;
    }

    /** Reads a list again, from its file or its database, whether it changed or not. */
    public @Nullable Object reload(WebRequest request, Response response) throws IOException {
        String name = request.path("list");
        FileList file = lists.files().get(name);
        LivingList living = lists.living(name);
        if (file != null) {
            long before = file.status().done();
            ListStatus after = file.reload();
            if (after.problem() != null) {
                throw new IOException(after.problem());
            }
            if (after.done() == before) {
                throw new IOException(
                        "the file changed while it was read; it is taken when it stands still");
            }
        } else if (living != null) {
            living.reload();
        } else {
            throw WebRequest.unknown(name, lists);
        }
        return null;
    }

    /** Adds the entries of a text list. */
    public Object patch(WebRequest request, Response response) throws IOException {
        LivingList list = request.living(lists);
        ValueType<Boolean> values = ValueType.either("true", "false");
        boolean replaceDenials = request.query("replaceDenials", values, "false");
        String text = request.body("-H 'Content-Type: text/plain' and --data-binary @FILE");
        return new TextListPatch(text).add(list, replaceDenials, request.who());
    }

    /** Returns all entries for one recipient. Without some they would look complete. */
    public Object ofRecipient(WebRequest request, Response response) throws IOException {
        Key recipient = WebRequest.key("recipient", request.path("recipient"));
        ListRecord record = request.living(lists).record();
        List<Entry> found = record.entriesFor(recipient, EntryPages.MAX_ENTRIES + 1);
        if (found.size() > EntryPages.MAX_ENTRIES) {
            throw WebRequest.refused(
                    "the list has more than "
                            + EntryPages.MAX_ENTRIES
                            + " entries for '%s'; ask for pages of"
                            + " all its entries, or type: whitelist export LIST --to RECIPIENT",
                    recipient);
        }
        return Map.of("lines", EntryPages.lines(found));
    }

    /** All that is kept of a user, with the lists that keep nothing. */
    private record Kept(String user, List<LinesOfList> lists, List<Row> mails) {}

    private record LinesOfList(String list, List<String> lines) {}

    /** Returns all that is kept of a user. What is cut or left out would look complete. */
    public Object ofUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<LinesOfList> kept = new ArrayList<>();
        for (Map.Entry<String, LivingList> list : lists.living().entrySet()) {
            var entries = list.getValue().record().entriesFor(user, Integer.MAX_VALUE);
            kept.add(new LinesOfList(list.getKey(), EntryPages.lines(entries)));
        }
        List<Row> mails = lists.recent().rowsOf(new Address(user), lists.users());
        return new Kept(user.toString(), kept, mails);
    }

    /** Removes all of a user in every list that can be changed, though another cannot. */
    public @Nullable Object removeUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        lists.recent().forget(new Address(user), lists.users());
        List<String> failures = lists.forgetUsage(user);
        for (LivingList list : lists.living().values()) {
            try {
                list.removeAllFor(user, request.who());
                list.record().forgetHistory(user);
            } catch (IOException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(
                    "not all is removed; do it once more: " + String.join("; ", failures));
        }
        return null;
    }
}
