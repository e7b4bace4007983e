"""Words that say what kind of firm a firm is, and words that are no firm's short name.

German and English, as keys have them: lower case, umlauts spelled out. All three lists are short
on purpose: a word that is missing leaves two names apart, and a curator joins them.
"""

from __future__ import annotations

from app.entities.names import word_set

DESCRIPTORS = word_set(
    """
agency agentur agrar agro airlines airways and anlagenbau apotheke architects architekten audio
automation automotive baeckerei bakery bank banking bau baumschule beratung biotech books brauerei
breweries brewery buchhandlung buchverlag capital chemicals chemie clinic clinics cloud computing
construction consultants consulting corporation cosmetics dairy data design developers development
dienste dienstleistungen digital distribution druckerei dynamics edition electric electronics
elektro elektronik elektrotechnik energie energy engineering enterprises entertainment entsorgung
equipment estates fabrik farm farming farms fashion film films finance financial finanz food foods
freight furniture gaertnerei games garden gardens gastro gebaeudetechnik glas glass global gmbh
greenhouses group gruppe gut haerterei handel haustechnik health healthcare hof holding holdings
holzbau hospital hotel hotels immobilien industrie industrien industries informatik ingenieure
innovation instruments insurance interactive international invest investments kaffee kellerei
klinik kliniken kunststoffe kunststofftechnik lab laboratories laboratory labs landtechnik
landwirtschaft law logistics logistik manufacturing maschinen maschinenbau media medien
medizintechnik messtechnik metal metall metallbau metals mills mining moebel molkerei motor
motoren motors muehle music naturkost networks netzwerke nurseries nursery oil optics optik
orchard orchards packaging paper papier partner partners pharma pharmaceuticals plastics power
praezision press print printing production productions products produktion properties publishers
publishing realty recycling reederei reisen research resources restaurants retail robotics
sanitaer schreinerei security seeds semiconductor semiconductors sensorik sensors service services
shipping shop software solar solutions spedition spritzguss stahl stahlbau steel stores studio
studios supplies supply systeme systems tech technik technologie technologien technologies
technology telecom telecommunications telekom textil textiles tiefbau tischlerei tools trading
transport transporte travel treuhand trucks umwelttechnik utilities ventures verlag verlage
vermoegensverwaltung verpackungen versand versicherung versicherungen vertrieb video vineyard
vineyards water weingut weinhandel werft werk werke werkstatt werkzeugbau winery wines works
workshop zeitung
"""
)
# Common family names, which a firm may bear and a person more often does.
SURNAMES = word_set(
    """
adams allen anderson arnold bailey baker bauer baumann beck becker bell bennett berger bergmann
brandt braun brooks brown busch campbell carter clark collins cook cooper cox davis edwards evans
fischer foster fuchs garcia gonzalez graf gray green gross guenther haas hahn hall harris hartmann
heinrich hernandez herrmann hill hoffmann hofmann horn howard huber hughes jackson jaeger jenkins
johnson jones jung kaiser keller kelly king klein koch koehler koenig kraemer kraus krause krueger
kuehn kuhn lang lange lee lehmann lewis long lopez lorenz ludwig maier marshall martin martinez
mayer meier meyer miller mitchell moeller moore morgan morris mueller murphy myers nelson neumann
nguyen otto parker patel perez peters peterson pfeiffer phillips pohl powell price ramirez reed
richardson richter rivera roberts robinson rodriguez rogers ross roth russell sanchez sanders
sauer schaefer schmid schmidt schmitt schmitz schneider scholz schreiber schroeder schubert
schulte schulz schulze schumacher schuster schwarz scott seidel simon smith sommer stein stewart
sullivan taylor thomas thompson torres turner vogel vogt voigt wagner walker walter ward watson
weber weiss werner white williams wilson winkler winter wolf wolff wood wright young ziegler
zimmermann
"""
)
# Places that firms are named after.
PLACES = word_set(
    """
aachen afrika america amsterdam antwerp asia asien athen athens atlanta augsburg austin austria
barcelona basel bavaria bayern belgien belgium berlin bern bielefeld bochum bonn boston brasilien
brazil bremen bristol bruessel brussels budapest california canada chicago china cologne
copenhagen dallas darmstadt denver deutschland dortmund dresden dublin duisburg edinburgh england
erfurt essen europa europe finland france frankfurt frankreich freiburg geneva genf germany
glasgow goettingen graz hamburg hannover heidelberg helsinki hessen holland houston india indien
innsbruck ireland irland israel italien italy japan jena kanada karlsruhe kassel kiel koblenz
koeln leeds leipzig linz lisbon lissabon liverpool london luebeck luxemburg lyon madrid magdeburg
mailand mainz manchester mannheim marseille mexico miami milan moscow moskau muenchen muenster
munich nantes neapel netherlands nuernberg nuremberg oesterreich oldenburg osaka oslo osnabrueck
oxford paris philadelphia poland polen portland portugal potsdam prag prague rom rome rostock
rotterdam russia saarbruecken sachsen salzburg schottland schweden schweiz scotland seattle
singapore spain spanien stockholm stuttgart sweden switzerland sydney texas tokyo toronto ulm usa
venice vienna wales warsaw warschau washington wien wuerzburg wuppertal zuerich zurich
"""
)
