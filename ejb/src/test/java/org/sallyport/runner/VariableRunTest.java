package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.policy.Policy;
import org.sallyport.secrets.SecretVariablePinner;
import org.sallyport.secrets.SecretVault;
import org.sallyport.tool.Json;
import org.sallyport.variable.InMemoryVariableStore;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.TenantVariable.ValueSource;

/** Executions with variables, with the real sandbox. */
class VariableRunTest {
    private final SecretVault vault = VaultFixtures.emptyVault();
    private final InMemoryVariableStore variables = new InMemoryVariableStore();
    private final SecretVariablePinner pinner = new SecretVariablePinner(variables, vault, 1_000);
    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy(), pinner);

    private void set(String name, ValueSource source) {
        variables.set("t", name, source, Instant.now(), "k", 10);
    }

    private PinnedVariables pin(String... names) {
        return ((PinResult.VariablesPinned) pinner.pin("t", List.of(names)))
                .variables()
                .orElseThrow();
    }

    private ExecutionId submit(String code, PinnedVariables pinned) {
        runs.variables = Optional.of(pinned);
        return runs.submit(code, Optional.empty());
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    @Test
    void scriptSeesTheDeclaredNamesAloneInAFrozenObject() throws Exception {
        set("REGION", new ValueSource.PlainValue("eu-1"));
        set("__proto__", new ValueSource.PlainValue("p"));
        set("OTHER", new ValueSource.PlainValue("x"));
        ExecutionId id = submit(
                "return [Object.keys(env), env.REGION, env.OTHER === undefined, Object.isFrozen(env),"
                        + " env['__proto__'], env.toString === undefined]",
                pin("REGION", "__proto__"));
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[[\"REGION\",\"__proto__\"],\"eu-1\",true,true,\"p\",true]");
    }

    @Test
    void everyAttemptSeesTheValuesOfTheAcceptance() throws Exception {
        set("REGION", new ValueSource.PlainValue("eu-1"));
        ExecutionId id = submit(
                "const before = env.REGION; await b.again({ r: env.REGION }); await b.again({ n: 2 });"
                        + " return [before, env.REGION]",
                pin("REGION"));
        set("REGION", new ValueSource.PlainValue("us-1"));
        runs.runThroughCrashes(id, List.of(2, 1, 1));
        assertThat(result(id)).isEqualTo("[\"eu-1\",\"eu-1\"]");
        assertThat(runs.store.row(id).attempt).isGreaterThan(1);
    }

    @Test
    void valueOfASecretReachesToolsAndIsRedactedInOutputAndResult() throws Exception {
        vault.create("t", "weather-key", "hunter2-4711", "k");
        set("KEY", new ValueSource.SecretValue("weather-key"));
        PinnedVariables pinned = pin("KEY");
        vault.delete("t", "weather-key");
        runs.redactors = vault::redactorFor;
        ExecutionId id = submit(
                "console.log(env.KEY); const { echo } = await b.effect({ s: env.KEY });"
                        + " return [echo.s === env.KEY, env.KEY]",
                pinned);
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[true,\"[redacted]\"]");
        assertThat(runs.store.row(id).out.toString()).isEqualTo("[redacted]**\n");
        assertThat(runs.store.readTrace(id, 0, 100).stream()
                        .map(new TraceRedactor(vault.redactorFor("t"))::redact)
                        .toList()
                        .toString())
                .contains("{\"s\":\"[redacted]\"}")
                .doesNotContain("hunter2");
    }

    @Test
    void unreadableVariablesEndTheExecutionWithAClearError() throws Exception {
        set("REGION", new ValueSource.PlainValue("eu-1"));
        ExecutionId id = submit("return env.REGION", PinnedVariables.ofStored("0123456789abcdef:AAAA"));
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.FAILED);
        assertThat(result(id))
                .contains("the script could not be started: its variables cannot be decrypted on this node");
    }

    @Test
    void executionWithoutVariablesSeesAnEmptyObject() throws Exception {
        ExecutionId id = runs.submit("return env", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo(Json.EMPTY_OBJECT.text());
    }
}
