package org.sallyport.approval;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A link with which a person decides one approval once, without logging in. No store holds its secret.
 *
 * @param id id of the link
 * @param tenant tenant of the approval
 * @param approval id of the approval that the link decides
 * @param digest {@link ApprovalLinkToken#digest}, derived from the secret and everything that the link is bound to
 * @param creator the person whose vote the link casts
 * @param expiresAt when the link expires; a whole millisecond
 * @param used whether the link has been used
 */
public record ApprovalLink(
        UUID id, String tenant, UUID approval, String digest, LinkCreator creator, Instant expiresAt, boolean used) {

    /**
     * The creator of a link, who votes with it.
     *
     * @param id id of the creator, as decisions show it
     * @param identity identity at a token issuer; empty for the bearer of a key
     */
    public record LinkCreator(String id, Optional<ExternalIdentity> identity) {}

    /**
     * An identity at a token issuer.
     *
     * @param issuer the issuer
     * @param name name at the issuer
     */
    public record ExternalIdentity(String issuer, String name) {}
}
