package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.NamedNativeQuery;
import jakarta.persistence.Table;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A search term of an execution. {@link SearchTerms} defines the terms. */
@Entity
@IdClass(ExecutionTermEntity.ExecutionTermPrimaryKey.class)
@Table(name = "execution_mark")
@NamedNativeQuery(name = SearchTerms.ADD, query = SearchTerms.ADD_SQL)
@SuppressWarnings("NullAway.Init")
class ExecutionTermEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "mark")
    String mark;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    protected ExecutionTermEntity() {}

    ExecutionTermEntity(UUID executionId, String mark, String tenant) {
        this.executionId = executionId;
        this.mark = mark;
        this.tenant = tenant;
    }

    /** The primary key class that JPA requires. */
    @SuppressWarnings("NullAway.Init")
    static class ExecutionTermPrimaryKey {
        UUID executionId;
        String mark;

        protected ExecutionTermPrimaryKey() {}

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ExecutionTermPrimaryKey key
                    && executionId.equals(key.executionId)
                    && mark.equals(key.mark);
        }

        @Override
        public int hashCode() {
            return Objects.hash(executionId, mark);
        }
    }
}
