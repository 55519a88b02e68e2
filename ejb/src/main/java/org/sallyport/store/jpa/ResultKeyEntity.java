package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.sallyport.execution.NewExecution;

/** The key by which an execution is found whose result may be served to other submissions. */
@Entity
@Table(name = "result_key")
@SuppressWarnings("NullAway.Init")
class ResultKeyEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "result_key")
    String key;

    protected ResultKeyEntity() {}

    ResultKeyEntity(NewExecution execution, String key) {
        executionId = execution.id().value();
        tenant = execution.tenant();
        this.key = key;
    }
}
