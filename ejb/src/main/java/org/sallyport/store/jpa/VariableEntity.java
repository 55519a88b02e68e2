package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sallyport.variable.TenantVariable;

/** A variable of a tenant. */
@Entity
@IdClass(VariableEntity.VariablePrimaryKey.class)
@Table(name = "tenant_variable")
@SuppressWarnings("NullAway.Init")
class VariableEntity {
    /** Encoded in this class, because JPA converts no id attribute. */
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "value_text")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String valueText;

    @Column(name = "secret")
    @Nullable String secret;

    @Column(name = "version")
    int version;

    @Column(name = "changed_at")
    Instant changedAt;

    @Column(name = "changed_by")
    @Convert(converter = LosslessTextConverter.class)
    String changedBy;

    protected VariableEntity() {}

    VariableEntity(String tenant, String name) {
        this.tenant = LosslessText.encode(tenant);
        this.name = name;
    }

    /** Sets the value as the next version, unless it is the present one. */
    final void set(TenantVariable.ValueSource source, Instant now, String by) {
        if (version > 0 && toVariable().source().equals(source)) {
            return;
        }
        valueText = source instanceof TenantVariable.ValueSource.PlainValue plain ? plain.text() : null;
        secret = source instanceof TenantVariable.ValueSource.SecretValue reference ? reference.secret() : null;
        version++;
        // The precision of the database, so that the answer to a change equals what is read later.
        changedAt = now.truncatedTo(ChronoUnit.MICROS);
        changedBy = by;
    }

    TenantVariable toVariable() {
        return new TenantVariable(
                LosslessText.decode(tenant),
                name,
                secret == null
                        ? new TenantVariable.ValueSource.PlainValue(Objects.requireNonNullElse(valueText, ""))
                        : new TenantVariable.ValueSource.SecretValue(secret),
                version,
                changedAt,
                changedBy);
    }

    /** Primary key class, as JPA requires it. */
    static class VariablePrimaryKey {
        String tenant;
        String name;

        VariablePrimaryKey() {}

        VariablePrimaryKey(String tenant, String name) {
            this.tenant = LosslessText.encode(tenant);
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof VariablePrimaryKey key && key.tenant.equals(tenant) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + name.hashCode();
        }
    }
}
