package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.sandbox.ScriptErrorCodes;
import org.sallyport.tool.ToolErrorCode;

/** Compares the codes that the sandbox accepts from workers with the codes of the service. */
class ScriptErrorCodesTest {
    @ParameterizedTest
    @EnumSource(ToolErrorCode.class)
    void codeOfACallIsAccepted(ToolErrorCode code) {
        assertThat(ScriptErrorCodes.orScriptError(code.code())).isEqualTo(code.code());
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {
                "SCRIPT_ERROR",
                "SYNTAX_ERROR",
                "DEADLOCK",
                "UNHANDLED_REJECTION",
                "RESULT_NOT_JSON",
                "MODULE_NOT_ALLOWED",
                "NON_DETERMINISTIC_REPLAY"
            })
    void codeOfAScriptIsAccepted(ErrorCode code) {
        assertThat(ScriptErrorCodes.orScriptError(code.code())).isEqualTo(code.code());
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void codeOfTheServiceIsNotAccepted(ErrorCode code) {
        boolean ofScript = code.origin() == ErrorOrigin.SCRIPT;
        boolean ofCall = ToolErrorCode.of(code.code()).isPresent();
        if (!ofScript && !ofCall) {
            assertThat(ScriptErrorCodes.orScriptError(code.code())).isEqualTo("script-error");
        }
    }
}
