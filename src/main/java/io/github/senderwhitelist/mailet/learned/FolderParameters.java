package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.mailet.settings.LimitParameters;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.NamedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import javax.crypto.SecretKey;

/**
 * The parameters of learning from folders.
 *
 * @param list the name of the living list
 * @param limits how much is learned
 * @param spam the names of spam folders in lower case
 * @param trash the names of trash folders in lower case
 * @param sealKey has sealed the headers that are believed
 * @param subaddressing which character begins the tag of a sender's address
 */
public record FolderParameters(
        String list,
        LearningLimits limits,
        Set<String> spam,
        Set<String> trash,
        SecretKey sealKey,
        Subaddressing subaddressing) {
    private static final String TRASH = "trashFolder";
    private static final ValueType<Set<String>> FOLDERS =
            new ValueType<>(
                    FolderParameters::folders,
                    "names of folders, separated by commas",
                    "names, separated by commas");

    /** Reads the parameters of a listener, which has no others. */
    public static FolderParameters read(Parameters parameters, NamedLists named)
            throws SettingException {
        String list = ListParameters.changed(parameters, named).name();
        Set<String> spam = parameters.value("spamFolder", FOLDERS, "Spam");
        Set<String> trash = parameters.value(TRASH, FOLDERS, "Trash");
        for (String folder : trash) {
            if (spam.contains(folder)) {
                throw parameters.wrong(TRASH, folder, "folders that are not spam folders");
            }
        }
        FolderParameters read =
                new FolderParameters(
                        list,
                        LimitParameters.read(parameters),
                        spam,
                        trash,
                        HeaderKey.read(parameters, Disk.LOCAL),
                        CheckParameters.subaddressing(parameters));
        parameters.refuseUnread();
        return read;
    }

    /** Returns names of folders in lower case; empty if one is blank. */
    private static Optional<Set<String>> folders(String text) {
        Set<String> folders = new LinkedHashSet<>();
        for (String folder : text.split(",", -1)) {
            if (folder.isBlank()) {
                return Optional.empty();
            }
            folders.add(folder.strip().toLowerCase(Locale.ROOT));
        }
        return Optional.of(folders);
    }
}
