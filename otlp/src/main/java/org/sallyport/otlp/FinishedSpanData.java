package org.sallyport.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.TraceStateBuilder;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A span in the form that the SDK exports. */
final class FinishedSpanData implements SpanData {
    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("org.sallyport");

    private final FinishedSpan span;
    private final Resource resource;
    private final SpanContext context;
    private final SpanContext parent;
    private final Attributes attributes;
    private final List<EventData> events;

    FinishedSpanData(FinishedSpan span, Resource resource) {
        this.span = span;
        this.resource = resource;
        TraceState state = state(span.traceState());
        this.context = SpanContext.create(span.traceId(), span.spanId(), TraceFlags.getSampled(), state);
        this.parent = span.parent()
                .map(of -> of.remote()
                        ? SpanContext.createFromRemoteParent(
                                span.traceId(), of.spanId(), TraceFlags.getSampled(), state)
                        : SpanContext.create(span.traceId(), of.spanId(), TraceFlags.getSampled(), state))
                .orElseGet(SpanContext::getInvalid);
        this.attributes = attributes(span.attributes());
        this.events = span.events().stream()
                .map(event -> EventData.create(nanos(event.at()), event.name(), attributes(event.attributes())))
                .toList();
    }

    private static TraceState state(String text) {
        TraceStateBuilder state = TraceState.builder();
        String[] members = text.split(",", -1);
        for (int i = members.length - 1; i >= 0; i--) { // the builder puts the newest first
            int equals = members[i].indexOf('=');
            if (equals > 0) {
                state.put(
                        members[i].substring(0, equals).strip(),
                        members[i].substring(equals + 1).strip());
            }
        }
        return state.build();
    }

    private static Attributes attributes(Map<String, Object> values) {
        AttributesBuilder attributes = Attributes.builder();
        values.forEach((name, value) -> {
            if (value instanceof Long number) {
                attributes.put(name, number);
            } else if (value instanceof Boolean flag) {
                attributes.put(name, flag);
            } else {
                attributes.put(name, value.toString());
            }
        });
        return attributes.build();
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000L + at.getNano();
    }

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return switch (span.kind()) {
            case SERVER -> SpanKind.SERVER;
            case CLIENT -> SpanKind.CLIENT;
            case INTERNAL -> SpanKind.INTERNAL;
        };
    }

    @Override
    public SpanContext getSpanContext() {
        return context;
    }

    @Override
    public SpanContext getParentSpanContext() {
        return parent;
    }

    @Override
    public StatusData getStatus() {
        return span.status().failed()
                ? StatusData.create(
                        io.opentelemetry.api.trace.StatusCode.ERROR,
                        span.status().description())
                : StatusData.unset();
    }

    @Override
    public long getStartEpochNanos() {
        return nanos(span.start());
    }

    @Override
    public long getEndEpochNanos() {
        return nanos(span.end());
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public List<EventData> getEvents() {
        return events;
    }

    @Override
    public List<LinkData> getLinks() {
        return List.of();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalRecordedEvents() {
        return events.size();
    }

    @Override
    public int getTotalRecordedLinks() {
        return 0;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }

    @Override
    @SuppressWarnings("deprecation") // still part of the interface
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.create(SCOPE.getName(), null);
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    public Resource getResource() {
        return resource;
    }
}
