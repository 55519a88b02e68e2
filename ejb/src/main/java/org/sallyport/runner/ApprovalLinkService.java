package org.sallyport.runner;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalLinkToken;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;

/**
 * Creates and checks links with which one approval can be decided once, without login. A link has the authority of its
 * creator, and is valid only while the creator may decide the approval. Thread-safe.
 */
public final class ApprovalLinkService {
    /** Maximum number of valid links per approval and creator. */
    public static final int MAX_LINKS_PER_MAKER = 20;

    /** Maximum number of valid links per approval, of all creators. */
    public static final int MAX_LINKS = 100;

    private static final Set<Role> APPROVING_ROLES = Set.of(Role.APPROVER, Role.ADMIN);

    private final ApprovalStore approvals;
    private final ApprovalLinkStore links;
    private final BiPredicate<Approval, String> needsOtherApprover;
    private final ApiKeyService keys;
    private final CallerRevalidator callerRevalidator;
    private final BiFunction<String, Instant, Optional<Caller>> certificateCallers;
    private final Supplier<UUID> ids;
    private final SecureRandom random;
    private final InstantSource clock;

    /**
     * @param own whether another approver must decide, because the approval belongs to an execution of this caller
     * @param callerRevalidator checks whether a caller with an external identity is still valid
     * @param certified returns the caller that the settings map to a certificate name, valid until an instant
     * @param ids generates link ids
     */
    public ApprovalLinkService(
            ApprovalStore approvals,
            ApprovalLinkStore links,
            BiPredicate<Approval, String> own,
            ApiKeyService keys,
            CallerRevalidator callerRevalidator,
            BiFunction<String, Instant, Optional<Caller>> certified,
            Supplier<UUID> ids,
            SecureRandom random,
            InstantSource clock) {
        this.approvals = approvals;
        this.links = links;
        this.needsOtherApprover = own;
        this.keys = keys;
        this.callerRevalidator = callerRevalidator;
        this.certificateCallers = certified;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
    }

    /** Result of creating a link. */
    public sealed interface CreateLinkResult {
        /**
         * The link was created.
         *
         * @param token the content of the link, returned only once
         */
        record LinkCreated(ApprovalLink link, String token) implements CreateLinkResult {}

        /** The approval does not exist. */
        record ApprovalNotFound() implements CreateLinkResult {}

        /** The approval is already decided or expired. */
        record ApprovalAlreadyDecided(Approval approval) implements CreateLinkResult {}

        /** The approval belongs to an execution of the caller, and another approver must decide it. */
        record SelfApprovalLinkRefused() implements CreateLinkResult {}

        /**
         * The approval asks for the outcome of a call. A link cannot carry that outcome, and a plain approval would
         * make the call again.
         */
        record OutcomeNotLinkable() implements CreateLinkResult {}

        /** The approval has the maximum number of links, of the caller or in total. */
        record TooManyLinks() implements CreateLinkResult {}
    }

    /** Result of opening a link. */
    public sealed interface OpenLinkResult {
        /** The secret of the token matches a link. */
        sealed interface KnownLink extends OpenLinkResult {
            ApprovalLink link();
        }

        /**
         * The link is valid.
         *
         * @param maker the creator of the link, as revalidated now
         */
        record ValidLink(ApprovalLink link, Caller maker, Approval approval) implements KnownLink {}

        /** The link was already used. */
        record UsedLink(ApprovalLink link) implements KnownLink {}

        /** The link has expired, or its creator may not decide approvals any more. */
        record InactiveLink(ApprovalLink link) implements KnownLink {}

        /** The approval cannot be decided by a link, like {@link CreateLinkResult.OutcomeNotLinkable}. */
        record OutcomeLink(ApprovalLink link) implements KnownLink {}

        /** The link does not exist, or exists no more. */
        record UnknownLink() implements OpenLinkResult {}
    }

    /**
     * Creates a link for an approval that the caller may decide.
     *
     * @param validity how long the link is valid; never longer than the approval, nor than the caller's token
     */
    public CreateLinkResult createLink(Caller caller, UUID id, Duration validity) {
        Optional<Approval> found = approvals.find(caller.tenant(), id);
        if (found.isEmpty()) {
            return new CreateLinkResult.ApprovalNotFound();
        }
        Approval approval = found.get();
        if (approval.state() != ApprovalState.PENDING || !approval.expiresAt().isAfter(clock.instant())) {
            return new CreateLinkResult.ApprovalAlreadyDecided(approval);
        } else if (needsOtherApprover.test(approval, caller.id())) {
            return new CreateLinkResult.SelfApprovalLinkRefused();
        } else if (approval.request().kind() == ApprovalKind.OUTCOME) {
            return new CreateLinkResult.OutcomeNotLinkable();
        }
        byte[] noise = new byte[ApprovalLinkToken.SECRET_BYTES];
        random.nextBytes(noise);
        ApprovalLinkToken token = ApprovalLinkToken.of(ids.get(), noise);
        ApprovalLink unsealed = new ApprovalLink(
                token.link(), caller.tenant(), id, "", maker(caller), linkExpiry(caller, approval, validity), false);
        ApprovalLink link = new ApprovalLink(
                unsealed.id(),
                unsealed.tenant(),
                id,
                token.digest(unsealed, approval.hash()),
                unsealed.creator(),
                unsealed.expiresAt(),
                false);
        return links.add(link, MAX_LINKS_PER_MAKER, MAX_LINKS)
                ? new CreateLinkResult.LinkCreated(link, token.encode())
                : new CreateLinkResult.TooManyLinks();
    }

    private static ApprovalLink.LinkCreator maker(Caller caller) {
        return new ApprovalLink.LinkCreator(
                caller.id(),
                caller.token()
                        .map(token -> new ApprovalLink.ExternalIdentity(
                                token.subject().issuer(), token.subject().name())));
    }

    private Instant linkExpiry(Caller caller, Approval approval, Duration validity) {
        Instant end = clock.instant().plus(validity);
        Instant sooner = end.isBefore(approval.expiresAt()) ? end : approval.expiresAt();
        // The link cannot outlive the token: the service cannot check later whether its issuer would still grant the
        // caller one.
        return caller.token()
                .map(Caller.CallerToken::expiresAt)
                .filter(sooner::isAfter)
                .orElse(sooner)
                .truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns what the bearer of the token {@code text} may decide. */
    public OpenLinkResult open(String text) {
        Optional<ApprovalLinkToken> token = ApprovalLinkToken.parse(text);
        Optional<ApprovalLink> found = token.flatMap(each -> links.find(each.link()));
        Optional<Approval> approval = found.flatMap(link -> approvals.find(link.tenant(), link.approval()));
        if (token.isEmpty()
                || found.isEmpty()
                || approval.isEmpty()
                || !token.get().matches(found.get(), approval.get().hash())) {
            return new OpenLinkResult.UnknownLink();
        }
        ApprovalLink link = found.get();
        if (link.used()) {
            return new OpenLinkResult.UsedLink(link);
        } else if (approval.get().request().kind() == ApprovalKind.OUTCOME) {
            return new OpenLinkResult.OutcomeLink(link);
        }
        Optional<Caller> maker = link.expiresAt().isAfter(clock.instant()) ? currentMaker(link) : Optional.empty();
        return maker.<OpenLinkResult>map(caller -> new OpenLinkResult.ValidLink(link, caller, approval.get()))
                .orElseGet(() -> new OpenLinkResult.InactiveLink(link));
    }

    /** Returns the creator of a link; empty if the creator could not decide approvals now. */
    private Optional<Caller> currentMaker(ApprovalLink link) {
        Optional<Caller> maker = link.creator()
                .identity()
                .flatMap(person -> callerFor(link, person))
                .filter(callerRevalidator::isStillValid);
        return (link.creator().identity().isPresent()
                        ? maker
                        : keys.findCaller(link.creator().id()))
                .filter(caller -> caller.tenant().equals(link.tenant()))
                .filter(caller -> caller.roles().stream().anyMatch(APPROVING_ROLES::contains));
    }

    /**
     * Returns the caller for an external identity. For a certificate, the current settings decide; for a token, the
     * caller has the role that the token gave when the link was created.
     */
    private Optional<Caller> callerFor(ApprovalLink link, ApprovalLink.ExternalIdentity person) {
        return person.issuer().equals(ExternalSubject.CERTIFICATE_ISSUER)
                ? certificateCallers.apply(person.name(), link.expiresAt())
                : Optional.of(Caller.of(
                        new ExternalSubject(person.issuer(), person.name()),
                        link.expiresAt(),
                        link.tenant(),
                        Set.of(Role.APPROVER)));
    }

    /** Revokes a link. Returns whether the approval of this tenant had it. */
    public boolean revoke(String tenant, UUID approval, UUID link) {
        return links.remove(tenant, approval, link);
    }
}
