package org.sallyport.web.link;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.ApprovalLinkService;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.api.ApprovalFacade;
import org.sallyport.web.api.BoundedJson;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.OutcomeProblems;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.RequestRateLimiter;
import org.sallyport.web.security.SameOriginCheck;

/**
 * {@code /console/approval-link}: {@code POST} with the token of a link shows the approval, and decides it if the body
 * contains a vote. The token is sent in the body, never in an address. Opening a link decides nothing.
 */
@WebServlet(name = "approval-link", urlPatterns = ApprovalLinkServlet.PATH, asyncSupported = true)
public class ApprovalLinkServlet extends HttpServlet {
    static final String PATH = "/console/approval-link";

    private static final long serialVersionUID = 1;
    /** Maximum body size: a note may contain characters of four bytes, or escapes of six. */
    private static final int MAX_BODY_BYTES = 16_384;

    private static final int MAX_TOKEN_LENGTH = 200;
    private static final int MAX_NOTE_LENGTH = 2_000;
    private static final Set<ProblemType> RETRYABLE = Set.of(ProblemType.RATE_LIMITED, ProblemType.UNAVAILABLE);
    private static final Set<String> KNOWN_MEMBERS = Set.of("token", "decision", "note");

    @Inject
    transient ApprovalLinkService links;

    @Inject
    transient ApprovalFacade facade;

    @Inject
    transient AuditRecorder auditRecorder;

    @Inject
    transient FailedLoginLimiter loginLimiter;

    @Inject
    transient RequestRateLimiter rateLimiter;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            SameOriginCheck.check(request);
            if (!request.getMethod().equals("POST")) {
                throw new ProblemException(AllowHeader.refuse(response, "POST"));
            }
            JsonMembers body = new JsonMembers(body(request));
            body.rejectUnknown(KNOWN_MEMBERS);
            String token = body.text("token", MAX_TOKEN_LENGTH)
                    .map(String::strip)
                    .orElseThrow(() -> body.invalidMember("token", "is missing: the part of the link after #"));
            Optional<Boolean> yes = decision(body);
            String note = body.text("note", MAX_NOTE_LENGTH).orElse("");
            write(
                    response,
                    HttpServletResponse.SC_OK,
                    "application/json",
                    JsonUtf8Writer.bytes(answer(request, response, token, yes, note)));
        } catch (ProblemException e) {
            if (RETRYABLE.contains(e.problem().type()) && !response.containsHeader("Retry-After")) {
                response.setHeader("Retry-After", "2");
            }
            ProblemWriter.write(response, e.problem(), PATH);
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            Problem problem = Problem.of(
                    ProblemType.UNAVAILABLE, "the database does not answer; nothing was changed, try again shortly");
            ProblemWriter.write(response, problem, PATH);
        }
    }

    private static Optional<Boolean> decision(JsonMembers body) {
        return body.text("decision", MAX_TOKEN_LENGTH).map(decision -> switch (decision) {
            case "approve" -> true;
            case "deny" -> false;
            default -> throw body.invalidMember("decision", "must be approve or deny");
        });
    }

    private ObjectNode answer(
            HttpServletRequest request,
            HttpServletResponse response,
            String token,
            Optional<Boolean> yes,
            String note) {
        ApprovalLinkService.OpenLinkResult.ValidLink open = open(request, response, token);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("voice", open.maker().id());
        json.put("expiresAt", open.link().expiresAt().toString());
        json.set(
                "approval",
                yes.isPresent() ? decide(request, open, yes.get(), note) : facade.show(open.maker(), open.approval()));
        return json;
    }

    private ObjectNode decide(
            HttpServletRequest request, ApprovalLinkService.OpenLinkResult.ValidLink open, boolean yes, String note) {
        ApprovalVote ballot = new ApprovalVote(open.maker().id(), yes, false, Optional.empty(), Optional.empty(), note)
                .withLink(open.link().id());
        return auditRecorder.auditLinkAction(
                open.maker(),
                request.getRemoteAddr(),
                yes ? "approval.approve" : "approval.deny",
                open.approval().id().toString(),
                () -> vote(open, ballot));
    }

    /**
     * Counts the vote. If the store does not answer its commit, the result is unknown, so the problem does not say that
     * the vote failed.
     */
    private ObjectNode vote(ApprovalLinkService.OpenLinkResult.ValidLink open, ApprovalVote ballot) {
        try {
            return facade.vote(open.maker(), open.approval().id(), ballot);
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            throw new ProblemException(
                    OutcomeProblems.unknown("the database does not answer, and it is unknown whether the decision was"
                            + " stored; open the link again to see"));
        }
    }

    private ApprovalLinkService.OpenLinkResult.ValidLink open(
            HttpServletRequest request, HttpServletResponse response, String token) {
        ApprovalLinkService.OpenLinkResult opened = links.open(token);
        if (opened instanceof ApprovalLinkService.OpenLinkResult.KnownLink known) {
            throttle(known);
        }
        if (opened instanceof ApprovalLinkService.OpenLinkResult.ValidLink counting) {
            if (counting.approval().state() != ApprovalState.PENDING) {
                throw new ProblemException(
                        ProblemType.ALREADY_DECIDED, "the approval is already decided; the link is no longer valid");
            }
            return counting;
        } else if (opened instanceof ApprovalLinkService.OpenLinkResult.UsedLink) {
            throw new ProblemException(ProblemType.LINK_USED, "this link was already used; a link works once");
        } else if (opened instanceof ApprovalLinkService.OpenLinkResult.InactiveLink) {
            throw new ProblemException(
                    ProblemType.LINK_OVER, "the link has expired, or its creator may no longer decide");
        } else if (opened instanceof ApprovalLinkService.OpenLinkResult.OutcomeLink) {
            throw ApprovalFacade.outcomeNotDecidableByLink();
        }
        Optional<Duration> pause = loginLimiter.recordFailure(request, token);
        if (pause.isPresent()) {
            auditRecorder.auditRejection(request, "approval.open-link", ProblemType.RATE_LIMITED.status());
            response.setHeader("Retry-After", Long.toString(pause.get().toSeconds() + 1));
            throw new ProblemException(
                    ProblemType.RATE_LIMITED, "too many wrong links; a valid link is accepted at any time");
        }
        auditRecorder.auditRejection(request, "approval.open-link", ProblemType.NOT_FOUND.status());
        throw new ProblemException(ProblemType.NOT_FOUND, "there is no such link, or it was revoked");
    }

    /**
     * Limits requests per link, in any state of the link, so that its user does not use up the rate limit of its
     * creator.
     */
    private void throttle(ApprovalLinkService.OpenLinkResult.KnownLink known) {
        if (rateLimiter.throttle("link " + known.link().id()).isPresent()) {
            throw new ProblemException(ProblemType.RATE_LIMITED, "too many requests for this link; wait");
        }
    }

    private static ObjectNode body(HttpServletRequest request) throws IOException {
        @Nullable String type = request.getContentType();
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json'");
        }
        byte[] body = request.getInputStream().readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            throw new ProblemException(
                    ProblemType.PAYLOAD_TOO_LARGE, "send an object with 'token', 'decision' and 'note' only");
        }
        try {
            return BoundedJson.parseObject(body);
        } catch (ProblemException e) {
            // Without the reason, which may repeat a part of the token.
            throw new ProblemException(ProblemType.VALIDATION, "send an object with the member 'token'");
        }
    }

    private static void write(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
