package org.sallyport.approval;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * By which somebody decides one approval once, without logging in. Its secret is in no store.
 *
 * @param id its id
 * @param tenant whose approval it is
 * @param approval what is decided by it
 * @param digest {@link ApprovalLinkToken#digest}: follows from the secret and all that the link is for
 * @param creator whose voice it is
 * @param expiresAt until when it counts; a whole millisecond
 * @param used whether it has counted
 */
public record ApprovalLink(
        UUID id, String tenant, UUID approval, String digest, LinkCreator creator, Instant expiresAt, boolean used) {

    /**
     * Whoever made a link, who decides by it.
     *
     * @param id who it is, as decisions name him
     * @param identity whom an issuer of tokens knows; empty for the bearer of a key
     */
    public record LinkCreator(String id, Optional<ExternalIdentity> identity) {}

    /**
     * Somebody whom an issuer of tokens knows.
     *
     * @param issuer who knows him
     * @param name under which name
     */
    public record ExternalIdentity(String issuer, String name) {}
}
