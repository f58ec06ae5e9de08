package io.github.senderwhitelist.cli;

import com.sun.security.auth.module.UnixSystem;

import io.github.senderwhitelist.disk.Disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Folders in which others than root can replace files. A command run by root refuses to write
 * there: a link in the place of a file would lead it to another one, which it would overwrite or
 * give away, and what it loads from there could be a program of theirs.
 */
final class OthersFolders {
    private static final int TYPE = 0170000;
    private static final int FOLDER = 0040000;
    private static final int LINK = 0120000;

    /** In a folder with this bit, only the owner of a file may remove or replace it. */
    private static final int STICKY = 01000;

    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;

    private OthersFolders() {}

    /** What root wants to do. */
    private enum Deed {
        READ,
        WRITE
    }

    /** Refuses to read a file that a link of another user leads to. */
    static void refuseLinks(Path file) throws IOException {
        if (isRoot()) {
            refuse(file.toAbsolutePath(), Deed.READ);
        }
    }

    /** Refuses to write a file, or into a folder, that is not there by root alone. */
    static void refuse(Path file) throws IOException {
        if (isRoot()) {
            refuse(file.toAbsolutePath(), Deed.WRITE);
        }
    }

    /** Refuses a database, too, in whose folder others can make the files beside it. */
    static void refuseDatabase(Path file) throws IOException {
        refuse(file);
        Path folder = Disk.followLink(file).toAbsolutePath().getParent();
        while (folder != null && !Files.exists(folder)) {
            folder = folder.getParent();
        }
        if (isRoot() && folder != null && Attributes.of(folder.toRealPath()).areOthersToWrite()) {
            throw refused(folder, null);
        }
    }

    /** Refuses a database in a folder, or in a file, that this user may not write to. */
    static void requireWritable(Path file) throws IOException {
        Path folder = Disk.followLink(file).toAbsolutePath().getParent();
        for (Path each : folder == null ? List.of(file) : List.of(folder, file)) {
            if (Files.exists(each) && !Files.isWritable(each)) {
                String owner = Files.getOwner(each).getName();
                throw new IOException(
                        each
                                + ": only the user "
                                + owner
                                + " may write there, as a database needs; nothing was done. Type:"
                                + " sudo -u "
                                + owner
                                + " whitelist …");
            }
        }
    }

    private static boolean isRoot() {
        return Path.of("").getFileSystem().supportedFileAttributeViews().contains("unix")
                && new UnixSystem().getUid() == 0;
    }

    /** Looks at each folder on the way, and at those that links lead through. */
    private static void refuse(Path file, Deed deed) throws IOException {
        boolean isShared = false;
        Path each = file.getRoot();
        for (Path name : file) {
            each = each.resolve(name);
            Attributes there;
            try {
                there = Attributes.of(each);
            } catch (FileSystemException e) {
                return; // What is missing is made by root.
            }
            boolean mayBeOfAnother =
                    deed == Deed.READ ? !there.is(LINK) : there.isFile() && !isShared;
            if (there.uid != 0 && !mayBeOfAnother) {
                throw refused(each, Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).getName());
            }
            if (there.is(LINK)) {
                if (!Files.exists(each)) {
                    return;
                }
                refuse(each.resolveSibling(Files.readSymbolicLink(each)), deed);
                there = Attributes.of(each.toRealPath());
            }
            isShared = there.is(FOLDER) && there.areOthersToWrite();
            if (deed == Deed.WRITE && isShared && (there.mode & STICKY) == 0) {
                throw refused(each, null);
            }
        }
    }

    /** What is known of a file or folder; of a link, not of what it leads to. */
    private record Attributes(int mode, int uid) {
        static Attributes of(Path file) throws IOException {
            Map<String, Object> all =
                    Files.readAttributes(file, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
            return new Attributes(value(all, "mode"), value(all, "uid"));
        }

        private static int value(Map<String, Object> all, String name) {
            return (Integer) Objects.requireNonNull(all.get(name), name);
        }

        boolean is(int type) {
            return (mode & TYPE) == type;
        }

        boolean isFile() {
            return !is(FOLDER) && !is(LINK);
        }

        /** Root's own group may have members, too. With an ACL, its bits are those of all users. */
        boolean areOthersToWrite() {
            return (mode & (GROUP_WRITES | OTHERS_WRITE)) != 0;
        }
    }

    private static IOException refused(Path place, @Nullable String owner) {
        String user = owner == null ? "USER" : owner.matches("\\d+") ? "'#" + owner + "'" : owner;
        return new IOException(
                place
                        + (owner == null
                                ? ": users other than root may write there"
                                : ": belongs to the user " + owner)
                        + ", whose links could lead root to other files; nothing was done. Type:"
                        + " sudo -u "
                        + user
                        + " whitelist …"
                        + (owner == null ? ", with the user that James runs as" : ""));
    }
}
