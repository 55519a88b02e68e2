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
 * @param seal {@link LinkToken#seal}: follows from the secret and all that the link is for
 * @param maker whose voice it is
 * @param expiresAt until when it counts; a whole millisecond
 * @param used whether it has counted
 */
public record ApprovalLink(
        UUID id, String tenant, UUID approval, String seal, Maker maker, Instant expiresAt, boolean used) {

    /**
     * Whoever made a link, who decides by it.
     *
     * @param id who it is, as decisions name him
     * @param person whom an issuer of tokens knows; empty for the bearer of a key
     */
    public record Maker(String id, Optional<Person> person) {}

    /**
     * Somebody whom an issuer of tokens knows.
     *
     * @param issuer who knows him
     * @param name under which name
     */
    public record Person(String issuer, String name) {}
}
