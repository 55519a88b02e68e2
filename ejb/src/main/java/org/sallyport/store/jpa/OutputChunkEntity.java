package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/** A chunk of one output stream: the characters from {@code start} (inclusive) to {@code end} (exclusive). */
@Entity
@IdClass(OutputChunkEntity.OutputChunkPrimaryKey.class)
@Table(name = "output_chunk")
@SuppressWarnings("NullAway.Init")
class OutputChunkEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "kind")
    @Enumerated(EnumType.STRING)
    OutputKind kind;

    @Id
    @Column(name = "start_offset")
    long start;

    @Column(name = "end_offset")
    long end;

    @Column(name = "text")
    @Convert(converter = LosslessTextConverter.class)
    String text;

    /** The pieces of {@code text}; see {@link OutputMarkCodec}. */
    @Column(name = "marks")
    String marks;

    protected OutputChunkEntity() {}

    OutputChunkEntity(ExecutionId execution, OutputKind kind, long start, String text, String marks) {
        this.executionId = execution.value();
        this.kind = kind;
        this.start = start;
        this.end = start + text.length();
        this.text = text;
        this.marks = marks;
    }

    List<OutputChunk> pieces() {
        return OutputMarkCodec.decode(kind, start, text, marks);
    }

    /** Primary key class, as JPA requires it. */
    static class OutputChunkPrimaryKey {
        UUID executionId;
        OutputKind kind;
        long start;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof OutputChunkPrimaryKey key
                    && key.start == start
                    && key.kind == kind
                    && key.executionId.equals(executionId);
        }

        @Override
        public int hashCode() {
            return Objects.hash(executionId, kind, start);
        }
    }
}
