package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.mailet.LearnFromFolders;

import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
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
    private static final String SPAM_FOLDER = "spamFolder";
    private static final String TRASH_FOLDER = "trashFolder";

    private static final Set<String> NAMES =
            Set.of(
                    Parameters.LIST,
                    LearningParameters.VALIDITY,
                    LearningParameters.MAX_PER_USER,
                    LearningParameters.MAX_NEW_PER_DAY,
                    SPAM_FOLDER,
                    TRASH_FOLDER,
                    Parameters.HEADER_KEY,
                    Parameters.SUBADDRESS_DELIMITER,
                    Parameters.WORK_DIRECTORY);

    /** Parses the values of a listener. */
    public static FolderParameters parse(
            String owner, Map<String, String> values, FileSystem files, NamedLists named)
            throws MessagingException {
        Parameters parameters = new Parameters(owner, values, files);
        parameters.checkNames(NAMES);
        Set<String> spam = folders(parameters, SPAM_FOLDER, "Spam");
        Set<String> trash = folders(parameters, TRASH_FOLDER, "Trash");
        for (String folder : trash) {
            if (spam.contains(folder)) {
                throw parameters.wrong(TRASH_FOLDER, folder, "folders that are not spam folders");
            }
        }
        return new FolderParameters(
                parameters.living(named).name(),
                LearningParameters.limits(parameters),
                spam,
                trash,
                parameters.sealKey(Disk.LOCAL),
                parameters.subaddressing());
    }

    private static Set<String> folders(Parameters parameters, String name, String whenAbsent)
            throws MessagingException {
        String written = parameters.text(name, whenAbsent);
        Set<String> folders = new LinkedHashSet<>();
        for (String folder : written.split(",", -1)) {
            if (folder.isBlank()) {
                throw parameters.wrong(name, written, "names of folders, separated by commas");
            }
            folders.add(folder.strip().toLowerCase(Locale.ROOT));
        }
        return folders;
    }
}
