package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class JournalReplayTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 2));
    private static final ToolName ECHO = new ToolName("demo", "echo");

    private final List<TraceEvent> stored = new ArrayList<>();

    private static Json text(int length, String end) {
        return new Json("\"" + "x".repeat(length) + end + "\"");
    }

    private void start(long call, Json arguments) {
        stored.add(new TraceEvent.ToolStarted(stored.size() + 1, Instant.EPOCH, call, ECHO, arguments));
    }

    private void end(long call, Json result) {
        stored.add(new TraceEvent.ToolEnded(
                stored.size() + 1, Instant.EPOCH, call, ECHO, 1, 0, Optional.of(result), Optional.empty()));
    }

    private List<TraceEvent> read(ExecutionId id, long after, int limit) {
        return stored.stream().filter(event -> event.seq() > after).limit(limit).toList();
    }

    private JournalReplay replay() {
        return new JournalReplay(ID, stored::forEach, RecordedExecution.NONE);
    }

    /** Replays all calls in order; returns the ordinals of their replies. */
    private List<Long> replies(JournalReplay replay, int calls) {
        List<Long> received = new ArrayList<>();
        for (long call = 1; call <= calls; call++) {
            assertThat(replay.matchCall(call, ECHO, new Json("{}")))
                    .isEqualTo(new JournalReplay.CallMatch.AnsweredCall(true));
            while (replay.isReplyDue()) {
                replay.nextReply()
                        .ifPresentOrElse(due -> received.add(due.answer().call()), () -> readMissing(replay));
            }
        }
        return received;
    }

    private void readMissing(JournalReplay replay) {
        Map<ReplyPosition, TraceEvent.ToolEnded> read = ReplyWindow.read(this::read, replay.missingReplies());
        assertThat(JournalSize.ofEntries(List.copyOf(read.values()))).isLessThanOrEqualTo(ReplyWindow.MAX_BYTES);
        replay.addReplies(read);
    }

    @Test
    void repliesOfALongJournalAreReadInWindows() {
        for (long call = 1; call <= 12; call++) {
            start(call, new Json("{}"));
            end(call, text(1_000_000, ""));
        }
        JournalReplay replay = replay();
        replay.matchCall(1, ECHO, new Json("{}"));
        assertThat(replay.nextReply()).as("the first replies are there").isPresent();
        assertThat(replay.takeReply(new ReplyPosition(ID, 24, 12)))
                .as("the last ones are not")
                .isEmpty();

        assertThat(replies(replay(), 12)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void repliesOfAShortJournalAreThereAtOnce() {
        for (long call = 1; call <= 3; call++) {
            start(call, new Json("{}"));
            end(call, text(1_000_000, ""));
        }
        JournalReplay replay = replay();
        for (long call = 1; call <= 3; call++) {
            replay.matchCall(call, ECHO, new Json("{}"));
            assertThat(replay.nextReply()).isPresent();
        }
        assertThat(replay.isComplete()).isTrue();
    }

    @Test
    void replyLargerThanAWindowIsRead() {
        start(1, new Json("{}"));
        end(1, text((int) ReplyWindow.MAX_BYTES + 1, ""));
        JournalReplay replay = replay();
        replay.matchCall(1, ECHO, new Json("{}"));
        assertThat(replay.nextReply()).isEmpty();
        replay.addReplies(ReplyWindow.read(this::read, replay.missingReplies()));
        assertThat(replay.nextReply()).isPresent();
    }

    @Test
    void replyThatIsGoneIsNotRead() {
        ReplyPosition missing = new ReplyPosition(ID, 2, 1);
        assertThat(ReplyWindow.read(this::read, List.of(missing))).isEmpty();
        start(1, new Json("{}"));
        start(2, new Json("{}"));
        end(2, new Json("{}"));
        assertThat(ReplyWindow.read(this::read, List.of(missing, new ReplyPosition(ID, 3, 2))))
                .isEmpty();
    }

    @Test
    void longArgumentsAreComparedToTheirEnd() {
        start(1, text(5_000, "1"));
        assertThat(replay().matchCall(1, ECHO, text(5_000, "1")))
                .isEqualTo(new JournalReplay.CallMatch.UnansweredCall(true));
        assertThat(replay().matchCall(1, ECHO, text(5_000, "2")))
                .isInstanceOfSatisfying(
                        JournalReplay.CallMatch.DivergedCall.class,
                        diverged -> assertThat(diverged.message())
                                .startsWith("call 1 was demo.echo")
                                .contains("(5003 characters)")
                                .hasSizeLessThan(1_000));
    }

    @Test
    void omittedArgumentsMatchTheArgumentsThatTheyStandFor() {
        start(1, OmittedArguments.of(text(5_000, "1")));
        start(2, OmittedArguments.of(new Json("[1]")));
        JournalReplay replay = replay();
        assertThat(replay.matchCall(1, ECHO, text(5_000, "1")))
                .isEqualTo(new JournalReplay.CallMatch.UnansweredCall(true));
        assertThat(replay.omitsArguments(1, text(5_000, "1"))).isTrue();
        assertThat(replay.omitsArguments(2, new Json("[1]"))).isTrue();
        assertThat(replay.omitsArguments(2, OmittedArguments.of(new Json("[1]"))))
                .as("a script that uses the form itself")
                .isFalse();
        assertThat(replay.matchCall(2, ECHO, new Json("[2]"))).isInstanceOf(JournalReplay.CallMatch.DivergedCall.class);
    }

    @Test
    void repliesOfARecordingFollowThoseOfTheOwnJournal() {
        for (long call = 1; call <= 12; call++) {
            start(call, new Json("{}"));
            end(call, text(1_000_000, ""));
        }
        RecordedExecution.RecordingBuilder recording =
                new RecordedExecution.RecordingBuilder(new RerunOrigin(ID, RerunOrigin.RerunMode.OFFLINE, 1, false));
        stored.forEach(recording::add);
        ExecutionId rerun = new ExecutionId(new UUID(3, 4));
        JournalReplay replay =
                new JournalReplay(rerun, action -> stored.subList(0, 14).forEach(action), recording.build());
        List<ExecutionId> read = new ArrayList<>();
        for (long call = 1; call <= 12; call++) {
            replay.matchCall(call, ECHO, new Json("{}"));
            Optional<JournalReplay.DueReply> due = replay.nextReply();
            if (due.isEmpty()) {
                read.add(replay.missingReplies().get(0).execution());
                readMissing(replay);
                due = replay.nextReply();
            }
            assertThat(due.orElseThrow().answer().call()).isEqualTo(call);
            assertThat(due.orElseThrow().journaled()).isEqualTo(call <= 7);
        }
        assertThat(read).contains(rerun, ID);
        assertThat(replay.isComplete()).isTrue();
    }
}
