package org.sallyport.submission;

import static org.sallyport.submission.FakeInterfaces.fake;
import static org.sallyport.submission.FakeInterfaces.unused;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ResultCache;
import org.sallyport.execution.ScriptTier;
import org.sallyport.journal.Journal;
import org.sallyport.messaging.MessageSender;
import org.sallyport.policy.CallFingerprinter;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaType;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.script.ScriptStore;
import org.sallyport.tracecontext.TraceSampler;

/** Submission services with default settings. Each tenant may have one execution. */
final class SubmissionServiceFixture {
    private SubmissionServiceFixture() {}

    /**
     * @param sandbox checks the scripts
     * @param store receives the executions
     */
    static SubmissionService create(Sandbox sandbox, ExecutionStore store) {
        return new SubmissionService(
                Configuration.read(Map.of(), Map.of()),
                new ExecutionIdGenerator(InstantSource.system(), new Random()),
                sandbox,
                (script, grants) -> ScriptTier.SANDBOX,
                store,
                fake(ExecutionCounts.class, (self, method, arguments) -> 0L),
                new QuotaLimits(
                        fake(QuotaStore.class, (self, method, arguments) -> Map.of()),
                        Map.of(QuotaType.QUEUED, 1L, QuotaType.LIVE, 1L),
                        System::nanoTime,
                        Duration.ofHours(1)),
                new JobDispatcher(unused(MessageSender.class), Thread::new, 0, 1, tenant -> 1),
                Runnable::run,
                (tenant, url) -> Optional.empty(),
                TraceSampler.OFF,
                unused(ScriptStore.class),
                new ResultCacheService(
                        unused(ResultCache.class), unused(Journal.class), unused(CallFingerprinter.class)),
                id -> {},
                InstantSource.system());
    }
}
