package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.mailet.LearnFromFolders;

import java.util.Set;

import javax.crypto.SecretKey;

/**
 * The parameters of {@link LearnFromFolders}.
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
    /** Parses the parameters of a listener. */
    public static FolderParameters parse(Parameters parameters, NamedLists named)
            throws SettingException {
        parameters.checkNames(Settings.OF_FOLDERS);
        Set<String> spam = parameters.value(Settings.SPAM_FOLDER);
        Set<String> trash = parameters.value(Settings.TRASH_FOLDER);
        for (String folder : trash) {
            if (spam.contains(folder)) {
                throw parameters.wrong(
                        Settings.TRASH_FOLDER, folder, "folders that are not spam folders");
            }
        }
        return new FolderParameters(
                ListParameters.changed(parameters, named).name(),
                LearningParameters.limits(parameters),
                spam,
                trash,
                HeaderKey.of(parameters, Disk.LOCAL),
                parameters.value(Settings.SUBADDRESS_DELIMITER));
    }
}
