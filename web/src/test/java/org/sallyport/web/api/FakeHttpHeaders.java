package org.sallyport.web.api;

import jakarta.ws.rs.core.Cookie;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The headers of a request with a body. */
@SuppressWarnings("NullAway") // the interface returns null for a missing header
record FakeHttpHeaders(@Nullable MediaType type, int length) implements HttpHeaders {
    @Override
    public @Nullable MediaType getMediaType() {
        return type;
    }

    @Override
    public int getLength() {
        return length;
    }

    @Override
    public List<String> getRequestHeader(String name) {
        return List.of();
    }

    @Override
    public @Nullable String getHeaderString(String name) {
        return null;
    }

    @Override
    public MultivaluedMap<String, String> getRequestHeaders() {
        return new MultivaluedHashMap<>();
    }

    @Override
    public List<MediaType> getAcceptableMediaTypes() {
        return List.of(MediaType.WILDCARD_TYPE);
    }

    @Override
    public List<Locale> getAcceptableLanguages() {
        return List.of();
    }

    @Override
    public @Nullable Locale getLanguage() {
        return null;
    }

    @Override
    public Map<String, Cookie> getCookies() {
        return Map.of();
    }

    @Override
    public @Nullable Date getDate() {
        return null;
    }
}
