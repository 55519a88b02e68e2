package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.ws.rs.OPTIONS;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ResourceInfo;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;

class RoleFilterTest {
    /** Stands for the handler of the platform and for operations of this service. */
    static final class OptionsHandlers {
        private OptionsHandlers() {}

        void generated() {}

        @OPTIONS
        void declared() {}
    }

    @Test
    void methodsOfAPathNeedNoRole() {
        assertThatCode(() -> filter("OPTIONS", "generated")).doesNotThrowAnyException();
    }

    @Test
    void operationWithoutRolesIsDenied() {
        for (String method : new String[] {"GET", "POST"}) {
            assertThatThrownBy(() -> filter(method, "generated"))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("no role allows this");
        }
        assertThatThrownBy(() -> filter("OPTIONS", "declared")).isInstanceOf(ProblemException.class);
    }

    private static void filter(String method, String handler) {
        RoleFilter filter = new RoleFilter();
        filter.request = new FakeHttpExchange(method, "/api/v1/executions").request();
        filter.operation = new ResourceInfo() {
            @Override
            public Method getResourceMethod() {
                return Arrays.stream(OptionsHandlers.class.getDeclaredMethods())
                        .filter(declared -> declared.getName().equals(handler))
                        .findFirst()
                        .orElseThrow();
            }

            @Override
            public Class<?> getResourceClass() {
                return OptionsHandlers.class;
            }
        };
        filter.filter((ContainerRequestContext) Proxy.newProxyInstance(
                RoleFilterTest.class.getClassLoader(),
                new Class<?>[] {ContainerRequestContext.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals("getMethod")) {
                        return method;
                    }
                    throw new UnsupportedOperationException(called.toString());
                }));
    }
}
