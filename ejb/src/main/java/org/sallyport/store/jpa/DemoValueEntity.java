package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * A value of the demo backend. Text ids are stored in the encoding of {@link LosslessText}, which this package applies
 * itself because JPA converts no id attribute.
 */
@Entity
@IdClass(DemoValueEntity.DemoValuePrimaryKey.class)
@Table(name = "demo_value")
@SuppressWarnings("NullAway.Init")
class DemoValueEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "item_key")
    String itemKey;

    @Column(name = "content")
    @Convert(converter = JsonConverter.class)
    Json content;

    protected DemoValueEntity() {}

    DemoValueEntity(DemoValuePrimaryKey key, Json content) {
        this.tenant = key.tenant;
        this.itemKey = key.itemKey;
        this.content = content;
    }

    /** The primary key class that JPA requires. */
    static class DemoValuePrimaryKey {
        String tenant;
        String itemKey;

        DemoValuePrimaryKey() {}

        DemoValuePrimaryKey(String tenant, String itemKey) {
            this.tenant = LosslessText.encode(tenant);
            this.itemKey = LosslessText.encode(itemKey);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof DemoValuePrimaryKey key && key.tenant.equals(tenant) && key.itemKey.equals(itemKey);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + itemKey.hashCode();
        }
    }
}
