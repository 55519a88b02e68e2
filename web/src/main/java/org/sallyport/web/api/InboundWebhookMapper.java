package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.sallyport.auth.Caller;
import org.sallyport.event.ScriptEvent;
import org.sallyport.policy.ToolGrants;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhook.WebhookTarget;
import org.sallyport.webhook.WebhookSignature;
import org.sallyport.webhook.WebhookSignature.SignatureScheme;

/** Converts inbound webhooks from and to their JSON. */
final class InboundWebhookMapper {
    private static final Set<String> MEMBERS =
            Set.of("name", "capability", "version", "event", "grants", "signature", "deliveryHeader");
    private static final Set<String> SIGNATURE_MEMBERS = Set.of("scheme", "header", "secret");
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9-]{1,100}");
    private static final int MAX_NAME_LENGTH = 100;
    private static final int MAX_SECRET_NAME_LENGTH = 64;

    private InboundWebhookMapper() {}

    /** Reads a request to create a webhook of the caller. */
    static InboundWebhook read(JsonMembers body, Caller caller, UUID id, String tokenHash, Instant now) {
        body.rejectUnknown(MEMBERS);
        String name = body.text("name", MAX_NAME_LENGTH)
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> body.invalidMember("name", "is missing: what the webhook is for"));
        return new InboundWebhook(
                id,
                caller.tenant(),
                name,
                tokenHash,
                target(body),
                body.object("signature").map(InboundWebhookMapper::signature),
                header(body, "deliveryHeader", "Idempotency-Key"),
                caller.id(),
                SubmissionReader.requireStorable(
                        body,
                        SubmissionReader.storedGrants(body)
                                .map(asked -> ToolGrants.intersection(asked, caller.grants()))
                                .orElse(caller.grants())),
                true,
                now,
                Optional.empty());
    }

    private static WebhookTarget target(JsonMembers body) {
        Optional<String> capability = body.text("capability", 200).filter(text -> !text.isBlank());
        Optional<String> event = body.text("event", ScriptEvent.MAX_NAME_LENGTH).filter(text -> !text.isEmpty());
        if (capability.isPresent() == event.isPresent()) {
            throw body.invalidMember("capability", "or 'event' must be given, and not both");
        }
        Optional<String> version = body.text("version", 200);
        if (event.isPresent() && (version.isPresent() || body.has("grants"))) {
            throw body.invalidMember("event", "takes no 'version' and no 'grants'");
        }
        return event.<WebhookTarget>map(WebhookTarget.EventTarget::new)
                .orElseGet(() -> new WebhookTarget.CapabilityTarget(capability.orElseThrow(), version));
    }

    private static WebhookSignature signature(JsonMembers members) {
        members.rejectUnknown(SIGNATURE_MEMBERS);
        String scheme = members.text("scheme", MAX_NAME_LENGTH).orElse("timestamped");
        if (!scheme.equals("timestamped") && !scheme.equals("body")) {
            throw members.invalidMember("scheme", "must be timestamped or body");
        }
        return new WebhookSignature(
                SignatureScheme.valueOf(scheme.toUpperCase(Locale.ROOT)),
                header(members, "header", "Sallyport-Signature"),
                members.text("secret", MAX_SECRET_NAME_LENGTH)
                        .orElseThrow(() -> members.invalidMember("secret", "is missing: the name of a secret")));
    }

    private static String header(JsonMembers body, String member, String otherwise) {
        String header = body.text(member, MAX_NAME_LENGTH).orElse(otherwise);
        if (!HEADER.matcher(header).matches()) {
            throw body.invalidMember(member, "must be the name of a header: letters, digits and '-'");
        }
        return header;
    }

    /** The JSON of a webhook, without its token. */
    static ObjectNode webhook(InboundWebhook webhook) {
        ObjectNode json =
                ExecutionMapper.object().put("id", webhook.id().toString()).put("name", webhook.name());
        if (webhook.target() instanceof WebhookTarget.CapabilityTarget target) {
            json.put("capability", target.capability());
            target.version().ifPresent(version -> json.put("version", version));
            webhook.grants().forEach(json.putArray("grants")::add);
        } else if (webhook.target() instanceof WebhookTarget.EventTarget target) {
            json.put("event", target.event());
        }
        webhook.signature()
                .ifPresent(signature -> json.putObject("signature")
                        .put("scheme", signature.scheme().name().toLowerCase(Locale.ROOT))
                        .put("header", signature.header())
                        .put("secret", signature.secret()));
        json.put("deliveryHeader", webhook.deliveryHeader())
                .put("enabled", webhook.enabled())
                .put("createdAt", webhook.createdAt().toString())
                .put("createdBy", webhook.owner());
        webhook.lastUse()
                .ifPresent(use -> json.put("lastUsedAt", use.at().toString()).put("lastResult", use.result()));
        return json;
    }
}
