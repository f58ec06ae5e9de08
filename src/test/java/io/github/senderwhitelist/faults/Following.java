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
import java.util.Objects;
import java.util.function.Consumer;

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

    private final Plan plan;
    private final boolean others;
    private @Nullable SteppedList list;

    /**
     * What is played. Before, the old list was active, if any.
     *
     * @param file the list's file
     * @param options of builds
     * @param event what happens to the list once it was loaded; null if nothing was loaded before
     *     something goes wrong
     * @param remedy what happens when the disk is well again
     * @param after what is active at the end
     * @param patient whether it must not become active before some time has passed
     * @param broken whether lookups fail at first
     */
    record Plan(
            Path file,
            BuildOptions options,
            @Nullable Consumer<MemoryDisk> event,
            Consumer<MemoryDisk> remedy,
            Content after,
            boolean patient,
            boolean broken) {
        Plan(Path file, BuildOptions options, @Nullable Consumer<MemoryDisk> event, Content after) {
            this(file, options, event, disk -> {}, after, false, false);
        }

        Plan withPatience() {
            return new Plan(file, options, event, remedy, after, true, broken);
        }

        Plan whileLookupsFail(Consumer<MemoryDisk> until) {
            return new Plan(file, options, event, until, after, patient, true);
        }
    }

    Following(MemoryDisk memory, Plan plan) {
        super(memory);
        this.plan = plan;
        this.others = memory.names().contains(USED);
    }

    /** Opens a list in the work directory of these tests. */
    static SteppedList open(Path file, BuildOptions options, Disk on) throws IOException {
        ListSettings settings =
                new ListSettingsBuilder(file, WORK).build(options).cacheSize(10).settings();
        return new SteppedList(settings, on, MemoryDisk.LATER);
    }

    private SteppedList open(Disk on) throws IOException {
        return open(plan.file(), plan.options(), on);
    }

    @Override
    void prepare() throws IOException {
        if (plan.event() != null) {
            SteppedList opened = open(disk);
            Content.requireNothingWrong(opened);
            plan.event().accept(memory);
            if (plan.broken()) {
                Content.requireNothingWrong(opened);
            }
            list = opened;
        }
    }

    @Override
    void run() throws IOException {
        if (list == null) {
            list = open(disk);
        } else {
            list.pass(Duration.ofMillis(300));
        }
        Content.requireNothingWrong(list);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingUnfinished();
        if (list == null) {
            require(!harmless, "not loaded");
            requireClear(Objects.requireNonNull(failure).getMessage(), List.of(plan.file()));
            requireOpen(0);
            plan.remedy().accept(memory);
            list = open(disk);
            require(list.status().problem() == null, "" + list.status().problem());
        } else {
            requireWell(list, harmless);
        }
        Content now = Content.of(list);
        require(now == plan.after(), now + " active");
        requireOpen(1);
        for (Path name : memory.list(WORK)) {
            if (name.toString().startsWith(WORK.resolve(plan.file().getFileName()).toString())) {
                require(Content.of(memory, name) == now, "last good: not " + now);
            }
        }
        list.close();
        requireOpen(0);
        requireStart(memory, now);
    }

    /** Requires that the right list was active during the faults and is active after them. */
    private void requireWell(SteppedList followed, boolean harmless) {
        String problem = followed.status().problem();
        if (plan.broken()) {
            Content.requireNothingWrong(followed);
        } else {
            Content now = Content.of(followed);
            boolean isNew = now == plan.after() && !plan.patient();
            require(now == Content.OLD || isNew, now + " active meanwhile");
            require(!harmless || plan.patient() || now == plan.after(), now + " active");
        }
        requireOpen(1);
        require(
                !harmless || problem == null || !memory.names().contains(plan.file()),
                "" + problem);
        List<String> refusals = followed.refusals();
        require(problem == null || !refusals.isEmpty(), "not told: " + problem);
        require(refusals.size() <= (plan.broken() ? 2 : 1), "" + refusals);
        refusals.forEach(refusal -> requireClear(refusal, List.of(plan.file())));
        plan.remedy().accept(memory);
        followed.pass(Duration.ofMinutes(3));
        require(followed.status().problem() == null, "at the end: " + followed.status().problem());
    }

    /**
     * Requires that no unfinished files remain, except after failures to delete or list them, or to
     * open and lock those of a killed process.
     */
    private void requireNothingUnfinished() {
        boolean mayStay =
                disk.struckCalls().stream()
                        .anyMatch(
                                call ->
                                        switch (call) {
                                            case DELETE, LIST, STATE -> true;
                                            case OPEN, LOCK -> others;
                                            default -> false;
                                        });
        if (!mayStay) {
            requireNothingUnfinished(memory);
        }
    }

    private static void requireNothingUnfinished(MemoryDisk on) {
        for (Path name : on.names()) {
            String text = name.getFileName().toString();
            boolean isTemporary = text.endsWith(".tmp") || text.startsWith(Disk.TEMPORARY_PREFIX);
            require(!isTemporary, "left over: " + name);
        }
    }

    /**
     * Requires that the next process starts with the list, and removes everything this one left
     * behind, but nothing of others.
     */
    private void requireStart(MemoryDisk on, Content... anyOf) throws IOException {
        SteppedList next = open(on);
        if (plan.broken()) {
            // Damage is found when somebody asks. The list is then built again.
            Content.requireNothingWrong(next);
            next.pass(Duration.ofMinutes(3));
        }
        Content content = Content.of(next);
        require(List.of(anyOf).contains(content), content + " at the next start");
        requireNothingUnfinished(on);
        require(on.names().contains(USED) == others, "what others use");
        next.close();
        require(on.openFiles().isEmpty(), "open after the end");
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        plan.remedy().accept(left);
        requireStart(left.copy(), plan.after());
        if (plan.event() != null && !plan.broken()) {
            MemoryDisk gone = left.copy();
            gone.delete(plan.file());
            requireStart(gone, Content.OLD, plan.after());
        }
    }
}
