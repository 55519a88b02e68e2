package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.NewExecution;

/** Records that an execution runs a capability, so that queries find the executions of a capability. */
@Entity
@Table(name = "capability_run")
@SuppressWarnings("NullAway.Init")
class CapabilityRunEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "name")
    String name;

    @Column(name = "version")
    String version;

    protected CapabilityRunEntity() {}

    CapabilityRunEntity(NewExecution execution, CapabilityRef capability) {
        executionId = execution.id().value();
        tenant = execution.tenant();
        name = capability.name();
        version = capability.version();
    }
}
