package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LiveHeapReaderTest {

    @Test
    void totalIsReadFromTheLastLine() {
        assertThat(LiveHeapReader.parseTotalBytes(Stream.of(
                        " num     #instances         #bytes  class name (module)",
                        "-------------------------------------------------------",
                        "   1:         41234        3456789  [B (java.base@21)",
                        "Total        123456       98765432")))
                .hasValue(98_765_432);
    }

    @Test
    void unresponsiveJvmGivesNoValue() {
        assertThat(LiveHeapReader.parseTotalBytes(Stream.of("java.io.IOException: No such process")))
                .isEmpty();
        assertThat(LiveHeapReader.read(Integer.MAX_VALUE)).isEmpty();
    }

    @Test
    void heapOfThisJvmIsPositive() {
        assertThat(LiveHeapReader.read(ProcessHandle.current().pid()).orElse(1)).isPositive();
    }
}
