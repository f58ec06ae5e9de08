package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.refresh.ListSettingsBuilder;
import io.github.senderwhitelist.refresh.SteppedList;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Loads a list, or looks at its file, while something goes wrong. */
final class Following extends Deed {
    static final Path WORK = Path.of("/var/whitelist");

    /** The snapshot of another list. */
    static final Path USED = WORK.resolve("used.txt-0123456789ab.swl");

    /** So few bits that most strangers need an exact lookup. */
    static final BuildOptions LOOSE =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(1));

    /** The same rate for a static filter. */
    static final BuildOptions RIBBON = new BuildOptions(FilterKind.RIBBON, FilterSize.ofRate(0.3));

    private final ListSettings settings;
    private final Plan plan;
    private final boolean others;
    private @Nullable SteppedList list;

    /** Changes a disk as an administrator or an accident does. */
    @FunctionalInterface
    interface Event {
        void happen(MemoryDisk disk) throws IOException;

        /** Nothing happens. */
        static void none(MemoryDisk disk) {}
    }

    /**
     * What is played.
     *
     * @param file the list's file
     * @param options of builds
     * @param started whether the list has been loaded before anything goes wrong
     * @param event what happens to the list then
     * @param remedy what happens when the disk is well again
     * @param before what may be active meanwhile; {@code after} may always be
     * @param after what is active at the end
     * @param patient whether {@code after} must not come into force before some time has passed
     * @param broken whether lookups fail at first
     */
    record Plan(
            Path file,
            BuildOptions options,
            boolean started,
            Event event,
            Event remedy,
            Content before,
            Content after,
            boolean patient,
            boolean broken) {
        Plan(Path file, BuildOptions options, boolean started, Event event, Content after) {
            this(file, options, started, event, Event::none, Content.OLD, after, false, false);
        }
    }

    Following(MemoryDisk memory, Plan plan) {
        super(memory);
        this.plan = plan;
        this.others = memory.names().contains(USED);
        this.settings = settings(plan.file(), plan.options());
    }

    /** Returns the settings of a list in the work directory of these tests. */
    static ListSettings settings(Path file, BuildOptions options) {
        return new ListSettingsBuilder(file, WORK)
                .build(options)
                .cacheSize(10)
                .reloadInterval(Duration.ofSeconds(5))
                .settings();
    }

    private SteppedList open(Disk on) throws IOException {
        return new SteppedList(settings, on, MemoryDisk.LATER);
    }

    private static void ask(SteppedList asked) {
        Content.requireNothingWrong(asked);
    }

    @Override
    void prepare() throws IOException {
        if (plan.started()) {
            SteppedList opened = open(disk);
            ask(opened);
            list = opened;
        }
        plan.event().happen(memory);
        if (plan.broken() && list != null) {
            ask(list);
        }
    }

    @Override
    void run() throws IOException {
        SteppedList followed = list;
        if (followed == null) {
            followed = open(disk);
            list = followed;
        } else {
            followed.look();
            followed.look();
        }
        ask(followed);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingUnfinished();
        SteppedList followed = list;
        if (followed == null) {
            require(!harmless, "not loaded");
            requireClear(failure == null ? null : failure.getMessage(), plan.file());
            requireNothingOpen();
            plan.remedy().happen(memory);
            followed = open(disk);
            require(followed.status().problem() == null, "" + followed.status().problem());
        } else {
            requireWell(followed, harmless);
        }
        Content now = Content.of(followed);
        require(now == plan.after(), now + " active");
        requireOneOpen();
        for (Path name : memory.list(WORK)) {
            if (name.toString().startsWith(WORK.resolve(plan.file().getFileName()).toString())) {
                require(Content.of(memory, name) == now, "last good: not " + now);
            }
        }
        followed.close();
        requireNothingOpen();
        requireStart(memory, now);
    }

    /** Requires that the right list was active during the faults and is active after them. */
    private void requireWell(SteppedList followed, boolean harmless) throws IOException {
        String problem = followed.status().problem();
        boolean gone = memory.inodes().get(plan.file()) == null;
        if (plan.broken()) {
            Content.requireNothingWrong(followed);
        } else {
            Content now = Content.of(followed);
            boolean allowed = now == plan.before() || (now == plan.after() && !plan.patient());
            require(allowed, now + " active meanwhile");
            require(!harmless || plan.patient() || now == plan.after(), now + " active");
        }
        requireOneOpen();
        if (problem != null) {
            require(!harmless || gone, problem);
            requireClear(problem, plan.file());
        }
        int most = plan.broken() ? 2 : 1;
        require(followed.refusals().size() <= most, "" + followed.refusals());
        followed.refusals().forEach(refusal -> requireClear(refusal, plan.file()));
        plan.remedy().happen(memory);
        lookOften(followed);
        problem = followed.status().problem();
        require(problem == null, "at the end: " + problem);
    }

    private static void lookOften(SteppedList followed) {
        for (int looks = 0; looks < 5; looks++) {
            followed.pass(Duration.ofMinutes(2));
            followed.look();
        }
    }

    private void requireOneOpen() {
        requireOpen(1);
    }

    /**
     * Requires that no unfinished files remain, except after failures to delete or list them, or to
     * open and lock those of a killed process.
     */
    private void requireNothingUnfinished() {
        boolean deleting =
                disk.struckCalls().stream()
                        .anyMatch(
                                call ->
                                        switch (call) {
                                            case DELETE, LIST, STATE -> true;
                                            case OPEN, LOCK -> others;
                                            default -> false;
                                        });
        if (!deleting) {
            requireNothingUnfinished(memory);
        }
    }

    /** Requires that files of others remain, unless they have not been used for long. */
    private void requireOthers(MemoryDisk on) {
        require(on.names().contains(USED) == others, "what others use");
    }

    private static void requireNothingUnfinished(MemoryDisk on) {
        for (Path name : on.names()) {
            String text = name.getFileName().toString();
            require(
                    !text.endsWith(".tmp") && !text.startsWith(Disk.TEMPORARY_PREFIX),
                    "left over: " + name);
        }
    }

    /**
     * Requires that the next process starts with the list, and removes everything this one left
     * behind.
     */
    private void requireStart(MemoryDisk on, Content... anyOf) throws IOException {
        SteppedList next = open(on);
        if (plan.broken()) {
            // Damage is found when somebody asks. The list is then built again.
            ask(next);
            lookOften(next);
        }
        Content content = Content.of(next);
        require(List.of(anyOf).contains(content), content + " at the next start");
        requireNothingUnfinished(on);
        requireOthers(on);
        next.close();
        require(on.openFiles().isEmpty(), "open after the end");
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        plan.remedy().happen(left);
        requireStart(left.copy(), plan.after());
        if (plan.started() && !plan.broken()) {
            MemoryDisk gone = left.copy();
            gone.delete(plan.file());
            requireStart(gone, plan.before(), plan.after());
        }
    }
}
