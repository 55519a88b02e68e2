package org.sallyport.sandbox;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * {@link HostServices} in memory. Several sessions may share one instance, as the executions of a tenant share events.
 */
public final class InMemoryHostServices {
    private static final JsonFactory JSON = new JsonFactory();

    private record InMemoryHostEvent(long seq, String name, String json) {}

    private record InMemoryEventWaiter(List<String> names, long after, Consumer<String> answer) {}

    private final Map<String, Map<String, String>> artifacts = new LinkedHashMap<>();
    private final List<InMemoryHostEvent> events = new ArrayList<>();
    private final List<InMemoryEventWaiter> waiters = new ArrayList<>();

    /** Answers a request, immediately or when a matching event arrives. */
    public synchronized void answer(String service, String arguments, Consumer<String> answer) {
        Map<String, String> members = members(arguments);
        switch (service) {
            case HostServices.ARTIFACT_WRITE -> {
                String name = text(members, "name");
                artifacts.put(name, members);
                answer.accept("{\"name\":" + name + ",\"size\":" + size(members) + "}");
            }
            case HostServices.ARTIFACT_READ -> {
                Map<String, String> found = artifacts.get(text(members, "name"));
                answer.accept(
                        found == null
                                ? "null"
                                : "{\"kind\":" + text(found, "kind") + ",\"data\":" + text(found, "data") + "}");
            }
            case HostServices.ARTIFACT_LIST -> answer.accept(list());
            case HostServices.EVENT_EMIT -> answer.accept("{\"seq\":" + emit(members) + "}");
            case HostServices.EVENT_LAST -> answer.accept("{\"seq\":" + events.size() + "}");
            case HostServices.EVENT_NEXT -> answerNextEvent(members, answer);
            case HostServices.APPROVAL_REQUEST ->
                answer.accept("{\"approved\":true,\"note\":" + text(members, "title") + ",\"answer\":"
                        + text(members, "details") + "}");
            default -> throw new IllegalArgumentException(service);
        }
    }

    private String list() {
        List<String> items = new ArrayList<>();
        artifacts.forEach((name, members) -> items.add("{\"name\":" + name + ",\"contentType\":"
                + members.getOrDefault("contentType", "null") + ",\"size\":" + size(members) + "}"));
        return "[" + String.join(",", items) + "]";
    }

    private static int size(Map<String, String> members) {
        String data = text(members, "data").replace("\"", "");
        return java.util.Base64.getDecoder().decode(data).length;
    }

    private long emit(Map<String, String> members) {
        InMemoryHostEvent event =
                new InMemoryHostEvent(events.size() + 1, text(members, "name"), text(members, "data"));
        events.add(event);
        for (InMemoryEventWaiter waiter : List.copyOf(waiters)) {
            if (waiter.names().contains(event.name())) {
                waiters.remove(waiter);
                waiter.answer().accept(text(event));
            }
        }
        return event.seq();
    }

    private void answerNextEvent(Map<String, String> members, Consumer<String> answer) {
        String names = text(members, "names");
        long after = members.containsKey("after") ? Long.parseLong(text(members, "after")) : events.size();
        List<String> wanted = List.of(names.substring(1, names.length() - 1).split(","));
        for (InMemoryHostEvent event : events) {
            if (event.seq() > after && wanted.contains(event.name())) {
                answer.accept(text(event));
                return;
            }
        }
        InMemoryEventWaiter waiter = new InMemoryEventWaiter(wanted, after, answer);
        waiters.add(waiter);
        if (members.containsKey("timeout")) {
            Executor later =
                    CompletableFuture.delayedExecutor(Long.parseLong(text(members, "timeout")), TimeUnit.MILLISECONDS);
            later.execute(() -> timedOut(waiter));
        }
    }

    private synchronized void timedOut(InMemoryEventWaiter waiter) {
        if (waiters.remove(waiter)) {
            waiter.answer().accept("{\"seq\":" + waiter.after() + "}");
        }
    }

    private static String text(Map<String, String> members, String name) {
        return java.util.Objects.requireNonNull(members.get(name), name);
    }

    private static String text(InMemoryHostEvent event) {
        return "{\"seq\":" + event.seq() + ",\"name\":" + event.name() + ",\"data\":" + event.json() + "}";
    }

    /** Returns the members of an object, each with its value as JSON text. */
    private static Map<String, String> members(String json) {
        Map<String, String> members = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                int start = (int) parser.currentTokenLocation().getCharOffset();
                parser.skipChildren();
                parser.finishToken();
                int end = (int) parser.currentLocation().getCharOffset();
                members.put(name, json.substring(start, end));
            }
        } catch (IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
        return members;
    }
}
