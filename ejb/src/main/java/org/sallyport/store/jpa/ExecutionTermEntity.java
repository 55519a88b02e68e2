package org.sallyport.store.jpa;

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
@Table(name = "execution_term")
@NamedNativeQuery(name = SearchTerms.ADD, query = SearchTerms.ADD_SQL)
@SuppressWarnings("NullAway.Init")
class ExecutionTermEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "term")
    String term;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    protected ExecutionTermEntity() {}

    ExecutionTermEntity(UUID executionId, String term, String tenant) {
        this.executionId = executionId;
        this.term = term;
        this.tenant = tenant;
    }

    /** The primary key class that JPA requires. */
    @SuppressWarnings("NullAway.Init")
    static class ExecutionTermPrimaryKey {
        UUID executionId;
        String term;

        protected ExecutionTermPrimaryKey() {}

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ExecutionTermPrimaryKey key
                    && executionId.equals(key.executionId)
                    && term.equals(key.term);
        }

        @Override
        public int hashCode() {
            return Objects.hash(executionId, term);
        }
    }
}
