package com.example.freight;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.math.BigDecimal;
import org.sallyport.bean.Backend;
import org.sallyport.bean.Param;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolException;

/** Offers of a forwarding agent. */
@ApplicationScoped
@Backend("freight")
public class FreightBackend {
    public record FreightQuote(String country, BigDecimal price, int days) {}

    @Inject
    FreightTariffs tariffs;

    @Tool(value = "Price in euros and duration of a transport.", readOnly = true)
    public FreightQuote quote(
            @Param("Two letters, such as SE.") String country, @Param("Kilograms of goods.") int weight) {
        if (weight <= 0) {
            throw ToolException.invalid("weight must be positive");
        }
        FreightTariffs.FreightTariff tariff =
                tariffs.find(country).orElseThrow(() -> ToolException.failed("there are no transports to " + country));
        return new FreightQuote(country, tariff.pricePerKilogram().multiply(BigDecimal.valueOf(weight)), tariff.days());
    }
}
