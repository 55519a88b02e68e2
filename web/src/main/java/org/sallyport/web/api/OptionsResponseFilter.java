package org.sallyport.web.api;

import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;
import org.sallyport.web.AllowHeader;

/**
 * Answers {@code OPTIONS} with {@code 204} and the methods of the path. The answer has no body and grants nothing to
 * web pages of other origins.
 */
@Provider
public class OptionsResponseFilter implements ContainerResponseFilter {
    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
        if (request.getMethod().equals(HttpMethod.OPTIONS)
                && response.getStatus() == Response.Status.OK.getStatusCode()) {
            String methods = AllowHeader.value(response.getAllowedMethods());
            response.setStatus(Response.Status.NO_CONTENT.getStatusCode());
            response.setEntity(null);
            response.getHeaders().remove(HttpHeaders.CONTENT_TYPE);
            response.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
            response.getHeaders().putSingle(AllowHeader.NAME, methods);
        }
    }
}
