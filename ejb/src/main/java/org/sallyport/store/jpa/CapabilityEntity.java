package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * One version of a capability. The tenant is stored in the encoding of {@link LosslessText}, which this package applies
 * itself because JPA converts no id attribute; names and versions need no encoding.
 */
@Entity
@IdClass(CapabilityEntity.CapabilityPrimaryKey.class)
@Table(name = "capability")
@SuppressWarnings("NullAway.Init")
class CapabilityEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Id
    @Column(name = "version")
    String version;

    @Column(name = "language")
    @Enumerated(EnumType.STRING)
    ScriptLanguage language;

    @Column(name = "code")
    @Convert(converter = LosslessTextConverter.class)
    String code;

    @Column(name = "tests")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String tests;

    @Column(name = "description")
    @Convert(converter = LosslessTextConverter.class)
    String description;

    @Column(name = "input_schema")
    @Convert(converter = JsonConverter.class)
    @Nullable Json inputSchema;

    @Column(name = "output_schema")
    @Convert(converter = JsonConverter.class)
    @Nullable Json outputSchema;

    @Column(name = "tools")
    @Convert(converter = JsonConverter.class)
    Json tools;

    @Column(name = "env")
    @Convert(converter = JsonConverter.class)
    Json env;

    @Column(name = "contract")
    @Convert(converter = JsonConverter.class)
    @Nullable Json contract;

    @Column(name = "sandbox")
    @Nullable String sandbox;

    @Column(name = "hash")
    String hash;

    @Column(name = "publisher")
    @Convert(converter = LosslessTextConverter.class)
    String publisher;

    /** A string, because EclipseLink cannot read a null UUID. */
    @Column(name = "test_run")
    @Nullable String testRun;

    @Column(name = "published_at", insertable = false, updatable = false)
    Instant publishedAt;

    @Column(name = "deprecated_at")
    @Nullable Instant deprecatedAt;

    @Column(name = "deprecation")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String deprecation;

    protected CapabilityEntity() {}

    CapabilityEntity(NewCapability capability) {
        CapabilityDefinition content = capability.definition();
        tenant = LosslessText.encode(capability.tenant());
        name = capability.name();
        version = capability.version().toString();
        language = content.language();
        code = content.code();
        tests = content.tests().orElse(null);
        description = content.description();
        inputSchema = content.inputSchema().orElse(null);
        outputSchema = content.outputSchema().orElse(null);
        tools = JsonColumnCodec.ofList(content.tools());
        env = JsonColumnCodec.ofList(content.env());
        contract = JsonColumnCodec.ofMap(capability.contract());
        sandbox = content.sandbox().map(CapabilitySandbox::text).orElse(null);
        hash = content.hash(capability.name(), capability.version());
        publisher = capability.publisher();
        testRun = capability.testRun().map(ExecutionId::toString).orElse(null);
    }

    Capability toCapability() {
        CapabilityDefinition content = new CapabilityDefinition(
                language,
                code,
                Optional.ofNullable(tests),
                description,
                Optional.ofNullable(inputSchema),
                Optional.ofNullable(outputSchema),
                JsonColumnCodec.parseList(tools),
                JsonColumnCodec.parseList(env),
                Optional.ofNullable(sandbox).flatMap(CapabilitySandbox::of));
        return new Capability(
                name,
                SemanticVersion.parse(version).orElseThrow(),
                content,
                hash,
                contract == null ? Map.of() : JsonColumnCodec.parseMap(contract),
                publisher,
                Optional.ofNullable(testRun).flatMap(ExecutionId::parse),
                publishedAt,
                Optional.ofNullable(deprecatedAt)
                        .map(at -> new Capability.CapabilityDeprecation(deprecation == null ? "" : deprecation, at)));
    }

    /** The primary key class that JPA requires. */
    static class CapabilityPrimaryKey {
        String tenant;
        String name;
        String version;

        CapabilityPrimaryKey() {}

        CapabilityPrimaryKey(String tenant, String name, SemanticVersion version) {
            this.tenant = LosslessText.encode(tenant);
            this.name = LosslessText.encode(name);
            this.version = version.toString();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof CapabilityPrimaryKey key
                    && key.tenant.equals(tenant)
                    && key.name.equals(name)
                    && key.version.equals(version);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, name, version);
        }
    }
}
