package org.sallyport.it.arquillian;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds the key of the first start to requests that run a test inside the server. Arquillian cannot send a key, and the
 * application rejects requests without one.
 */
public final class ArquillianKeyInitializer implements ServletContainerInitializer {
    private static final String RUNNER_PATH = "/ArquillianServletRunnerEE9";

    @Override
    public void onStartup(@Nullable Set<Class<?>> classes, ServletContext context) {
        context.addFilter("test-door", new AdminKeyFilter())
                .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, RUNNER_PATH);
    }

    /** Reads the key that the first start wrote. */
    static String readAdminKey() throws IOException {
        return Files.readString(Path.of(System.getProperty("sallyport.data"), "admin.key"))
                .strip();
    }

    private static final class AdminKeyFilter extends HttpFilter {
        private static final long serialVersionUID = 1;

        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            String authorization = "Bearer " + readAdminKey();
            chain.doFilter(
                    new HttpServletRequestWrapper(request) {
                        @Override
                        public @Nullable String getHeader(String name) {
                            return name.equalsIgnoreCase("Authorization") ? authorization : super.getHeader(name);
                        }
                    },
                    response);
        }
    }
}
