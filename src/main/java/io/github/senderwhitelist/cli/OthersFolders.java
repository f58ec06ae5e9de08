package io.github.senderwhitelist.cli;

import com.sun.security.auth.module.UnixSystem;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Folders in which others than root can replace files. A command run by root refuses to write
 * there: a link could lead it to another file, which it would overwrite or give away, and what it
 * loads from there could be a program of theirs. Nobody but root can change that answer meanwhile,
 * since each folder on the way is looked at. To read a file there harms nothing, unless a link of
 * theirs leads to it, which they may also make after root has looked.
 */
final class OthersFolders {
    private static final int TYPE = 0170000;
    private static final int FOLDER = 0040000;
    private static final int LINK = 0120000;

    /** In a folder with this bit, only the owner of a file may remove or replace it. */
    private static final int STICKY = 01000;

    /** Root's own group may have members, too. With an ACL, its bits are those of all users. */
    private static final int OTHERS_WRITE = 0022;

    private OthersFolders() {}

    /** Returns a file to read, unless a link of another user leads to it. */
    static Path readable(Path file) throws IOException {
        if (isRoot()) {
            refuse(file.toAbsolutePath(), false);
        }
        return file;
    }

    /** Refuses to write a file, or into a folder, that is not there by root alone. */
    static void refuse(Path file) throws IOException {
        if (isRoot()) {
            refuse(file.toAbsolutePath(), true);
        }
    }

    /** Refuses a file whose text others than root may write, or may replace. */
    static void refuseText(Path file) throws IOException {
        refuse(file);
        if (isRoot()) {
            requireOwn(file.toRealPath());
        }
    }

    /**
     * Refuses a database, too, in whose folder others can make the files beside it, or one that
     * this user may not write to, or not into its folder.
     */
    static void refuseDatabase(Path file) throws IOException {
        refuse(file);
        Path folder = folder(file);
        if (isRoot() && folder != null) {
            requireOwn(folder.toRealPath());
        }
        for (Path each : folder == null ? List.of(file) : List.of(folder, file)) {
            if (Files.exists(each) && !Files.isWritable(each)) {
                throw new IOException(
                        "%s: only the user %s may write there, as a database needs; nothing was done. Type: sudo -u %<s whitelist …"
                                .formatted(each, Files.getOwner(each).getName()));
            }
        }
    }

    private static void requireOwn(Path place) throws IOException {
        boolean isOfAnother = attribute(place, "uid") != 0;
        if (isOfAnother || (attribute(place, "mode") & OTHERS_WRITE) != 0) {
            throw refused(place, isOfAnother ? Files.getOwner(place).getName() : null);
        }
    }

    /**
     * Returns the folder of a file, or the first one above it that this user can see: what is in a
     * folder of others' looks as if it were missing.
     */
    private static @Nullable Path folder(Path file) throws IOException {
        Path folder = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        do {
            folder = folder.getParent();
        } while (folder != null && !Files.exists(folder));
        return folder;
    }

    private static boolean isRoot() {
        return Path.of("").getFileSystem().supportedFileAttributeViews().contains("unix")
                && new UnixSystem().getUid() == 0;
    }

    /** Looks at each folder on the way, and at those that links lead through. */
    private static void refuse(Path file, boolean writes) throws IOException {
        boolean isShared = false;
        Path each = file.getRoot();
        for (Path name : file) {
            each = each.resolve(name);
            int mode;
            try {
                mode = attribute(each, "mode");
            } catch (FileSystemException e) {
                return; // What is missing is made by root.
            }
            boolean isLink = (mode & TYPE) == LINK;
            boolean isFile = !isLink && (mode & TYPE) != FOLDER;
            boolean mayBeOfAnother = writes ? isFile && !isShared : !isLink;
            if (!mayBeOfAnother && attribute(each, "uid") != 0) {
                throw refused(each, Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).getName());
            }
            if (isLink) {
                if (!Files.exists(each)) {
                    return;
                }
                refuse(each.resolveSibling(Files.readSymbolicLink(each)), writes);
                mode = attribute(each.toRealPath(), "mode");
            }
            isShared = (mode & TYPE) == FOLDER && (mode & OTHERS_WRITE) != 0;
            if (writes && isShared && (mode & STICKY) == 0) {
                throw refused(each, null);
            }
        }
    }

    /** Returns what is known of a file or folder; of a link, not of what it leads to. */
    private static int attribute(Path file, String name) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    private static IOException refused(Path place, @Nullable String owner) {
        String why = "users other than root may write there";
        String how = "USER whitelist …, with the user that James runs as";
        if (owner != null) {
            why = "belongs to the user " + owner;
            how = (owner.matches("\\d+") ? "'#" + owner + "'" : owner) + " whitelist …";
        }
        return new IOException(
                "%s: %s, whose links could lead root to other files; nothing was done. Type: sudo -u %s"
                        .formatted(place, why, how));
    }
}
