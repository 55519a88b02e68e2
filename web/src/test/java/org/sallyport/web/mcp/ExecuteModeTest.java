package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.web.ProblemException;

class ExecuteModeTest {
    private static ObjectNode arguments(String mode, String member) {
        ObjectNode arguments = JsonNodeFactory.instance.objectNode();
        if (!mode.isEmpty()) {
            arguments.put("mode", mode);
        }
        return member.isEmpty() ? arguments : arguments.put(member, "x");
    }

    @ParameterizedTest
    @CsvSource({
        "'',code,EXECUTE",
        "execute,cached,EXECUTE",
        "stream,rerun,STREAM",
        "async,notBefore,ASYNC",
        "status,id,STATUS",
        "cancel,id,CANCEL",
        "list,recent,LIST",
        "test,tests,TEST"
    })
    void modeIsReadFromItsName(String mode, String member, ExecuteMode expected) {
        assertThat(ExecuteMode.read(arguments(mode, member))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status|states|it goes with mode list",
                "cancel|waitSeconds|it goes with mode execute or stream or status or test",
                "execute|id|it goes with mode status or cancel",
                "|tests|it goes with mode test",
                "execute|notBefore|it goes with mode async",
                "async|artifacts|it goes with mode execute or stream or status",
                "test|cached|it goes with mode execute or stream or async",
                "list|code|it goes with mode execute or stream or async or test"
            })
    void memberOfAnotherModeIsRefusedWithTheRightMode(String mode, String member, String message) {
        assertThatThrownBy(() -> ExecuteMode.read(arguments(mode == null ? "" : mode, member)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(member)
                .hasMessageContaining(message);
    }

    @Test
    void unknownModeAndUnknownMemberAreRefused() {
        assertThatThrownBy(() -> ExecuteMode.read(arguments("walk", "")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("execute or stream or async or status or cancel or list or test");
        assertThatThrownBy(() -> ExecuteMode.read(arguments("list", "nowhere")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("unknown member nowhere");
    }

    @Test
    void descriptionHasTheArgumentsOfTheSingleTools() {
        Map<String, Set<?>> described = McpTools.descriptions().stream()
                .collect(Collectors.toMap(
                        McpSchema.Tool::name,
                        tool -> ((Map<?, ?>) Objects.requireNonNull(
                                        tool.inputSchema().get("properties")))
                                .keySet()));
        Set<?> execute = Objects.requireNonNull(described.get("execute"));
        for (ExecuteMode mode : ExecuteMode.values()) {
            String tool = mode.tool()
                    .getSimpleName()
                    .replaceAll("(?<=.)(?=[A-Z])", "_")
                    .toLowerCase(Locale.ROOT);
            Set<?> single = Objects.requireNonNull(described.get(tool), tool);
            single.stream()
                    .map(Object::toString)
                    .filter(name -> !name.equals("dryRun"))
                    .forEach(name -> {
                        assertThat(execute.contains(name)).as(name).isTrue();
                        assertThat(ExecuteMode.read(arguments(mode.name().toLowerCase(Locale.ROOT), name)))
                                .isEqualTo(mode);
                    });
        }
        execute.stream()
                .map(Object::toString)
                .filter(name -> !name.equals("mode"))
                .forEach(name -> assertThat(Arrays.stream(ExecuteMode.values()).anyMatch(mode -> accepts(mode, name)))
                        .as(name)
                        .isTrue());
    }

    private static boolean accepts(ExecuteMode mode, String member) {
        try {
            return ExecuteMode.read(arguments(mode.name().toLowerCase(Locale.ROOT), member)) == mode;
        } catch (ProblemException e) {
            return false;
        }
    }
}
