package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/**
 * Misbehaving MCP servers affect only their own backend: next to those that could disturb others runs a well-behaved
 * server that must keep answering.
 */
class HostileMcpServerTest {
    private final McpHarness harness = new McpHarness();

    @AfterEach
    void end() {
        harness.close();
    }

    private void startHostile(String how, String moreSettings) {
        harness.addHostile("bad", how, moreSettings);
    }

    private void startGoodAndHostile(String how, String moreSettings) {
        harness.addHostile("good", "works", "").addHostile("bad", how, moreSettings);
        harness.await("good", BackendState.READY);
    }

    /** Waits for the reason, because a call may fail before the cause of its server's end is known. */
    private void awaitReason(String reason) {
        harness.await(
                "it is said why: " + reason,
                () -> harness.backend("bad")
                        .status()
                        .lastError()
                        .filter(e -> e.contains(reason))
                        .isPresent());
    }

    private void assertGoodServerAnswers() {
        assertThat(harness.value("good.work", "{}")).startsWith("\"work");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "long-line | sent a line of more than",
                "floods    | sends too many messages that were not requested",
                "garbage   | writes too many lines that are not JSON-RPC",
                "dies-in-call | exited with code 7",
            })
    void serverThatBreaksTheProtocolIsRestarted(String how, String reason) {
        startGoodAndHostile(how, "");
        harness.await("bad", BackendState.READY);

        assertThat(harness.error("bad.work", "{}").code())
                .isIn(ToolErrorCode.OUTCOME_UNKNOWN, ToolErrorCode.BACKEND_UNAVAILABLE);
        awaitReason(reason);
        assertGoodServerAnswers();
        harness.await("bad", BackendState.READY);
    }

    @Test
    void serverThatExitsAtOnceIsRetriedAndItsLastErrorOutputKept() {
        startGoodAndHostile("dies", ",\"env\":{\"LICENCE\":\"s3cr3t-licence\"}");
        harness.await("bad", BackendState.DOWN);
        harness.await("it is tried again", () -> harness.backend("bad").status().state() == BackendState.STARTING);
        harness.await("bad", BackendState.DOWN);

        assertThat(harness.backend("bad").status().lastError().orElseThrow())
                .contains("exited with code 3", "no licence with key [redacted]")
                .doesNotContain("s3cr3t");
        assertGoodServerAnswers();
    }

    @Test
    void serverThatDoesNotInitializeIsStopped() {
        startGoodAndHostile("hangs", ",\"startMillis\":300");
        harness.await("bad", BackendState.DOWN);
        assertThat(harness.backend("bad").status().lastError().orElseThrow())
                .contains("did not start", "did not answer in time");
        assertGoodServerAnswers();
    }

    @Test
    void serverThatAnswersWithOtherIdsIsStoppedAndTheIdNamed() {
        startHostile("other-ids", ",\"startMillis\":600000");
        awaitReason("did not answer in time; it answered with the id 'other-id', and no request has this id");
    }

    @Test
    void serverThatRefusesTheHandshakeWithoutAnIdIsStoppedWithItsReason() {
        startGoodAndHostile("no-id", ",\"startMillis\":600000");
        awaitReason("did not start: what?");
        assertGoodServerAnswers();
    }

    @Test
    void onlyTheFirstReplyToARequestCounts() {
        startHostile("twice", "");
        harness.await("bad", BackendState.READY);
        for (int i = 0; i < 20; i++) {
            assertThat(harness.value("bad.work", "{}")).isEqualTo("\"first\"");
        }
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void numbersKeepTheirDigitsInBothDirections() {
        startHostile("numbers", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{\"id\":725653563933458432}"))
                .isEqualToIgnoringCase("{\"id\":725653563933458432,\"price\":0.1234567890123456789,"
                        + "\"list\":[9007199254740993,1e+400]}");
    }

    @Test
    void requestsOfTheServerAreRefusedExceptPings() {
        startHostile("asks", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"{1=answered, 2=refused, 3=refused, 4=refused}\"");
    }

    @ParameterizedTest
    @CsvSource({
        "never, true, TIMEOUT",
        "never, false, OUTCOME_UNKNOWN",
        "tail, true, TIMEOUT",
        "tail, false, OUTCOME_UNKNOWN"
    })
    void unansweredCallTimesOutAndOpensTheBreaker(String how, boolean trustHints, ToolErrorCode expected) {
        startGoodAndHostile(
                how,
                ",\"timeoutMillis\":100,\"breakerFailures\":3,\"breakerMillis\":60000,\"trustHints\":" + trustHints);
        harness.await("bad", BackendState.READY);
        for (int i = 0; i < 3; i++) {
            assertThat(harness.error("bad.work", "{}").code()).isEqualTo(expected);
        }
        assertThat(harness.error("bad.work", "{}").code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.DEGRADED);
        assertGoodServerAnswers();
    }

    @Test
    void timeoutReportsTheLastProgress() {
        startHostile("progress", ",\"timeoutMillis\":5000");
        harness.await("bad", BackendState.READY);
        assertThat(harness.error("bad.work", "{}").message()).contains("40 of 100, counting");
    }

    @Test
    void callWithoutAFreeSlotIsRefusedAtOnce() throws Exception {
        startGoodAndHostile("never", ",\"concurrency\":2,\"queue\":3");
        harness.await("bad", BackendState.READY);
        List<CallId> ids =
                java.util.stream.Stream.generate(harness::nextId).limit(5).toList();
        List<CompletableFuture<ToolResult>> open =
                ids.stream().map(id -> harness.send(id, "bad.work", "{}")).toList();

        assertThat(harness.error("bad.work", "{}").code()).isEqualTo(ToolErrorCode.BACKEND_BUSY);
        for (int i = 0; i < 50; i++) {
            assertGoodServerAnswers();
        }
        assertThat(open).noneMatch(CompletableFuture::isDone);
        assertThat(harness.backend("bad").calls().waiting()).isEqualTo(3);

        ids.forEach(harness::cancel);
        for (CompletableFuture<ToolResult> one : open) {
            assertThat(((ToolResult.ToolFailure) one.get(60, TimeUnit.SECONDS))
                            .error()
                            .code())
                    .isEqualTo(ToolErrorCode.CANCELLED);
        }
        harness.await(
                "its places are free", () -> harness.backend("bad").calls().running() == 0);
    }

    @Test
    void changedToolIsQuarantinedUntilAnOperatorAcceptsIt() {
        startHostile("changes", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"changed\"");
        harness.await("the change is noticed", () -> harness.backend("bad").quarantinedCount() == 1);

        assertThat(harness.error("bad.work", "{}").code()).isEqualTo(ToolErrorCode.TOOL_QUARANTINED);
        assertThat(harness.catalog.search("bad.work").get(0).spec().description())
                .isEqualTo("Harmless.");
        // The other tools of the same server remain available.
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"changed\"");
        String hash = harness.backends.tools("bad").stream()
                .flatMap(tool -> tool.pending().stream())
                .findFirst()
                .orElseThrow()
                .hash();
        assertThat(harness.backends.acceptToolChange("bad", "work", hash)).isTrue();
        assertThat(harness.catalog.search("bad.work").get(0).spec().description())
                .isEqualTo("Sends all you have to me.");
    }

    @Test
    void catalogFollowsToolChangesWithFewListRequests() {
        startGoodAndHostile("grows", "");
        harness.await("bad", BackendState.READY);
        assertThat(offeredTools()).contains("bad.early").doesNotContain("bad.late");

        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"listed 1\"");
        harness.await("the new tool is offered", () -> offeredTools().contains("bad.late"));
        assertThat(offeredTools()).contains("bad.work", "bad.get_user").doesNotContain("bad.early");
        assertThat(harness.value("bad.late", "{}")).startsWith("\"listed ");
        assertThat(harness.error("bad.early", "{}").code()).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
        String listed = harness.value("bad.get_user", "{}").replaceAll("[^0-9]", "");
        assertThat(Integer.parseInt(listed)).isBetween(2, 100);
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void toolChangeDuringStartIsNotLost() {
        startGoodAndHostile("grows-at-once", "");
        harness.await("the new tool is offered", () -> offeredTools().contains("bad.late"));
        assertThat(offeredTools()).contains("bad.work").doesNotContain("bad.early");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.late", "{}")).startsWith("\"late ");
        assertGoodServerAnswers();
    }

    @Test
    void listOfChangedToolsIsRetriedUntilItSucceeds() {
        startGoodAndHostile("unlisted", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"listed 1\"");
        awaitReason("its tools changed and cannot be listed: not now");
        // It answers all other requests, so calls are still sent to it.
        assertThat(harness.value("bad.get_user", "{}")).startsWith("\"listed ");

        harness.await("the new tool is offered", () -> offeredTools().contains("bad.late"));
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"listed 4\"");
        assertGoodServerAnswers();
    }

    private List<String> offeredTools() {
        return harness.catalog.all().stream()
                .map(tool -> tool.spec().name().toString())
                .toList();
    }

    @Test
    void serverThatFloodsToolChangesIsRestarted(@TempDir Path home) throws Exception {
        Path lists = home.resolve("lists");
        startGoodAndHostile("changes-much", ",\"env\":{\"LISTS\":\"" + lists + "\"}");
        harness.await("bad", BackendState.READY);

        assertThat(harness.error("bad.work", "{}").code())
                .isIn(ToolErrorCode.OUTCOME_UNKNOWN, ToolErrorCode.BACKEND_UNAVAILABLE);
        awaitReason("sends too many messages that were not requested");
        assertGoodServerAnswers();
        harness.await("bad", BackendState.READY);
        assertThat(Files.size(lists)).isBetween(2L, 100L);
    }

    @Test
    void serverIsNotifiedOfACancelledCall() throws Exception {
        startGoodAndHostile("tells", "");
        harness.await("bad", BackendState.READY);
        CallId id = harness.nextId();
        CompletableFuture<ToolResult> endless = harness.send(id, "bad.work", "{}");
        harness.await(
                "it is under way", () -> harness.value("bad.get_user", "{}").equals("\"1 begun, 0 cancelled\""));

        harness.cancel(id);
        assertThat(((ToolResult.ToolFailure) endless.get(60, TimeUnit.SECONDS))
                        .error()
                        .code())
                .isEqualTo(ToolErrorCode.CANCELLED);
        harness.await(
                "its server heard of it",
                () -> harness.value("bad.get_user", "{}").equals("\"1 begun, 1 cancelled\""));
        harness.cancel(id);
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"1 begun, 1 cancelled\"");
        assertGoodServerAnswers();
    }

    @Tag("slow")
    @Test
    void serverThatIgnoresPingsIsDegradedAndThenRestarted() {
        startGoodAndHostile("deaf", ",\"startMillis\":15000,\"pingMillis\":2000");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");

        harness.await("bad", BackendState.DEGRADED);
        assertThat(harness.backend("bad").status().lastError()).contains("it does not answer pings");
        // It answers all other requests, so calls are still sent to it.
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 2\"");
        harness.await(
                "it is given up",
                () -> harness.backend("bad").status().lastError().equals(Optional.of("did not answer 3 pings")));
        assertGoodServerAnswers();
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
    }

    @Test
    void replyWithADuplicateMemberIsRefused() {
        startGoodAndHostile("duplicate", "");
        harness.await("bad", BackendState.READY);
        for (int i = 0; i < 3; i++) {
            assertThat(harness.error("bad.work", "{}"))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.TOOL_FAILED))
                    .satisfies(e -> assertThat(e.message())
                            .contains("'work' was answered with JSON that is not accepted", "'paid'"));
        }
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"once\"");
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void floodOnTheErrorStreamDoesNotBlockTheServer() throws Exception {
        startGoodAndHostile("shouts", "");
        harness.await("bad", BackendState.READY);
        CompletableFuture<ToolResult> shouting = harness.send(harness.nextId(), "bad.work", "{}");
        assertGoodServerAnswers();
        assertThat(shouting.get(60, TimeUnit.SECONDS)).isEqualTo(ToolResult.success(new Json("\"shouted\"")));
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"shouted\"");
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void replyBeforeItsRequestIsIgnored() {
        startGoodAndHostile("early", "");
        harness.await("bad", BackendState.READY);
        for (int i = 0; i < 20; i++) {
            assertThat(harness.value("bad.work", "{}")).isEqualTo("\"asked\"");
        }
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void invalidToolNamesAreMappedToDistinctNames() {
        startHostile("works", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"get_user 1\"");
        assertThat(harness.value("bad.get_user_2", "{}")).isEqualTo("\"get user 2\"");
    }

    @Test
    void namesOfAnyLengthAreCallableAndBoundedInTheCatalog() {
        startGoodAndHostile("long-names", "");
        harness.await("bad", BackendState.READY);
        List<GuestTool> tools = harness.catalog.guestTools().tools().stream()
                .filter(tool -> tool.tool().startsWith("a_ba"))
                .toList();
        assertThat(tools).hasSize(2).extracting(GuestTool::declaredName).doesNotHaveDuplicates();
        for (GuestTool tool : tools) {
            assertThat(tool.tool()).hasSizeLessThanOrEqualTo(128);
            assertThat(tool.toolId()).hasSizeLessThanOrEqualTo(128);
            assertThat(tool.declaredName()).startsWith("a ba b").hasSizeLessThanOrEqualTo(300);
            assertThat(tool.metadataJson()).hasSizeLessThan(2_000);
            assertThat(harness.value("bad." + tool.tool(), "{}")).startsWith("\"a ba b");
        }
        assertGoodServerAnswers();
    }

    @Test
    void toolsWithInvalidSchemasDoNotAffectOthers() {
        startGoodAndHostile("schemas", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
        assertThat(harness.catalog.all())
                .extracting(tool -> tool.spec().name().toString())
                .contains("bad.work", "good.work", "bad.a", "bad.b", "bad.c");
        for (String tool : List.of("bad.a", "bad.b", "bad.c")) {
            String reason = harness.catalog
                    .find(ToolName.parse(tool))
                    .flatMap(CatalogTool::unusable)
                    .orElseThrow();
            assertThat(reason).startsWith("its input schema cannot be used: ");
            assertThat(harness.error(tool, "{}")).satisfies(refused -> {
                assertThat(refused.code()).isEqualTo(ToolErrorCode.TOOL_UNUSABLE);
                assertThat(refused.message()).isEqualTo("'" + tool + "' cannot be used: " + reason);
            });
            assertThat(harness.backends.unusableTools("bad"))
                    .containsEntry(ToolName.parse(tool).tool(), reason);
        }
        assertThat(harness.backend("bad").unusableCount())
                .isEqualTo(harness.backends.unusableTools("bad").size())
                .isEqualTo(3);
        assertThat(harness.backend("bad").toolCount())
                .isEqualTo(harness.backends.tools("bad").size()
                        - harness.backend("bad").unusableCount());
    }

    @Test
    void serverHintsCountOnlyWhenTrusted() {
        harness.addHostile("doubted", "works", "").addHostile("trusted", "works", ",\"trustHints\":true");
        harness.await("doubted", BackendState.READY);
        harness.await("trusted", BackendState.READY);
        assertThat(harness.catalog.search("doubted.work").get(0).spec().hints().readOnly())
                .isFalse();
        assertThat(harness.catalog.search("trusted.work").get(0).spec().hints().readOnly())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callIdIsSentAsAnIdempotencyKeyIfConfigured(boolean configured) throws Exception {
        harness.addHostile("asked", "key", ",\"sendCallId\":" + configured);
        harness.await("asked", BackendState.READY);
        CallId id = harness.nextId();
        assertThat(harness.send(id, "asked.work", "{}").get(60, TimeUnit.SECONDS))
                .isEqualTo(ToolResult.success(new Json(configured ? "\"" + id + "\"" : "\"none\"")));
    }

    @Test
    void leakedSecretIsRedacted() {
        startHostile("leaks", ",\"env\":{\"LICENCE\":\"s3cr3t-licence\"}");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"the key is [redacted]\"");
    }

    @Test
    void serverGetsAMinimalEnvironment() {
        startHostile("environment", ",\"env\":{\"MINE\":\"1\"}");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}"))
                .contains("MINE", "PATH")
                .doesNotContain("MAVEN", "SALLYPORT", "JAVA_HOME");
    }

    @Test
    void callToAStartingServerFailsAndItsToolsAreKnown() {
        harness.addHostile("slow", "works", "");
        harness.await("slow", BackendState.READY);
        harness.backends.restart("slow");
        assertThat(harness.catalog.search("slow.work")).hasSize(1);
        assertThat(harness.error("slow.work", "{}"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.BACKEND_STARTING))
                .satisfies(e -> assertThat(e.message())
                        .isEqualTo("Backend 'slow' is still starting; tool 'work' is known from its cached catalog"));
        harness.await("slow", BackendState.READY);
        assertThat(harness.value("slow.work", "{}")).startsWith("\"work");
    }

    @Test
    void removedBackendLeavesNoProcess() {
        startHostile("works", "");
        harness.await("bad", BackendState.READY);
        long before = childProcessCount();
        harness.backends.remove("bad");
        harness.await("its process is gone", () -> childProcessCount() < before);
        assertThat(harness.store.listTools("bad"))
                .extracting(PinnedToolDefinition::name)
                .isEmpty();
    }

    private static long childProcessCount() {
        return ProcessHandle.current()
                .descendants()
                // Other tests leave a database server behind, whose processes come and go.
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"work, true", "get_user, false"})
    void repeatableCallIsRetriedAfterAServerCrash(String tool, boolean repeated, @TempDir Path home) {
        startGoodAndHostile(
                "dies-once",
                ",\"env\":{\"MARK\":\"" + home.resolve("died")
                        + "\"},\"trustHints\":true,\"retryAttempts\":10,\"retryMillis\":200");
        harness.await("bad", BackendState.READY);
        if (repeated) {
            assertThat(harness.value("bad." + tool, "{}")).contains("after all");
            assertThat(harness.backend("bad").calls().retried()).isEqualTo(1);
        } else {
            assertThat(harness.error("bad." + tool, "{}").code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
            assertThat(harness.backend("bad").calls().retried()).isZero();
        }
        assertGoodServerAnswers();
    }

    @Test
    void linesOfALogDoNotEndTheServer() {
        startGoodAndHostile("chatty", "");
        harness.await("bad", BackendState.READY);
        for (int i = 1; i <= 400; i++) {
            assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work " + i + "\"");
        }
        assertGoodServerAnswers();
    }

    @Test
    void answerThatIsTooLongFailsOnlyItsCall() {
        startGoodAndHostile("long-answers", ",\"maxLineBytes\":20000");
        harness.await("bad", BackendState.READY);
        for (int i = 1; i <= 4; i++) {
            assertThat(harness.error("bad.work", "{}"))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.TOO_LARGE))
                    .satisfies(e -> assertThat(e.message())
                            .isEqualTo("the answer to 'work' is too long: a line of more than 20000 bytes"
                                    + " (maxLineBytes)"));
        }
        assertThat(harness.value("bad.get_user", "{}")).isEqualTo("\"get_user 5\"");
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    /** A text of 3 MB, with the settings of a backend and of the service that are the default. */
    @Test
    void longTextArrives() {
        startGoodAndHostile("large-text", "");
        harness.await("bad", BackendState.READY);
        String value = harness.value("bad.work", "{}");
        assertThat(value.length()).isEqualTo(1_500_002);
        assertThat(value.chars().filter(character -> character == '\u00e9').count())
                .isEqualTo(1_500_000);
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void errorOfTheServerKeepsCodeAndDataWithoutSecrets() {
        startHostile("fails", ",\"env\":{\"LICENCE\":\"s3cr3t-licence\"}");
        harness.await("bad", BackendState.READY);
        assertThat(harness.error("bad.work", "{}"))
                .isEqualTo(new ToolError(
                        ToolErrorCode.TOOL_FAILED,
                        "'work' was refused by its server: quota for [redacted]",
                        Optional.of(new Json("{\"code\":\"E_QUOTA\",\"data\":{\"used\":7,\"key\":\"[redacted]\"}}"))));
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void cursorThatRepeatsEndsTheToolListAndIsReported() {
        startGoodAndHostile("stuck", "");
        harness.await("bad", BackendState.READY);
        awaitReason("page 2 of its tool list has the cursor of an earlier page");
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
        assertGoodServerAnswers();
    }

    @Test
    void toolThatCannotBeCalledAffectsNoOtherAndItsReasonIsKnown() {
        startHostile("odd-tools", ",\"trustHints\":true");
        harness.await("bad", BackendState.READY);
        awaitReason("entries of its tool list without a name, which cannot be called: 1");
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
        assertThat(harness.value("bad.odd", "{}")).isEqualTo("\"odd 2\"");
        assertThat(harness.catalog.search("bad.odd").get(0).spec().hints().readOnly())
                .isFalse();
        assertThat(harness.error("bad.long", "{}")).satisfies(refused -> {
            assertThat(refused.code()).isEqualTo(ToolErrorCode.TOOL_UNUSABLE);
            assertThat(refused.message()).startsWith("'bad.long' cannot be used: it can only be called as a task");
        });
        assertThat(harness.backend("bad").unusableCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "newer       | 2099-01-01",
                "versionless | Unsupported protocol version from the server: none",
                "no-list     | it did not list its tools (tools/list): Method not found",
            })
    void serverThatCannotBeUsedIsDownWithTheReason(String how, String reason) {
        startGoodAndHostile(how, "");
        harness.await("bad", BackendState.DOWN);
        assertThat(harness.backend("bad").status().lastError().orElseThrow())
                .startsWith("did not start: ")
                .contains(reason);
        assertGoodServerAnswers();
    }

    @ParameterizedTest
    @ValueSource(strings = {"old", "batch", "shouts-first", "slow-list"})
    void serverOfAnotherRevisionOrStyleIsUsed(String how) {
        startHostile(how, "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
    }

    @Test
    void serverWithoutToolsIsReadyAndTheReasonIsKnown() {
        startHostile("no-tools", "");
        harness.await("bad", BackendState.READY);
        assertThat(harness.backend("bad").toolCount()).isZero();
        awaitReason("its handshake does not have the capability 'tools'");
        assertThat(harness.backend("bad").status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void serverThatEndsAfterACallIsStartedAgain() {
        startHostile("ends-after-call", "");
        for (int i = 0; i < 2; i++) {
            harness.await("bad", BackendState.READY);
            assertThat(harness.value("bad.work", "{}")).isEqualTo("\"work 1\"");
            awaitReason("exited with code 0");
            harness.await("it has ended", () -> harness.backend("bad").status().state() != BackendState.READY);
        }
    }

    @Test
    void backendCannotBeItsOwnFallback() {
        assertThatThrownBy(() -> harness.add("own", "{\"command\":\"c\",\"fallback\":[\"other\",\"own\"]}"))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining("itself");
        assertThat(harness.backends.list()).isEmpty();
    }
}
