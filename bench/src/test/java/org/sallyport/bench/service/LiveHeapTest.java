package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LiveHeapTest {

    @Test
    void theLastLineTellsTheBytes() {
        assertThat(LiveHeap.total(Stream.of(
                        " num     #instances         #bytes  class name (module)",
                        "-------------------------------------------------------",
                        "   1:         41234        3456789  [B (java.base@21)",
                        "Total        123456       98765432")))
                .hasValue(98_765_432);
    }

    @Test
    void aVirtualMachineThatDoesNotAnswerTellsNothing() {
        assertThat(LiveHeap.total(Stream.of("java.io.IOException: No such process")))
                .isEmpty();
        assertThat(LiveHeap.of(Integer.MAX_VALUE)).isEmpty();
    }

    @Test
    void thisVirtualMachineHoldsMoreThanNothing() {
        assertThat(LiveHeap.of(ProcessHandle.current().pid()).orElse(1)).isPositive();
    }
}
